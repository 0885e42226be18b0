package org.entrepot.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rooms of the core: who may import whom. The table is that of docs/ARCHITECTURE.md. */
class ArchitectureTest {
    private static final String CORE = "org.entrepot.core.";

    /** For each room, the rooms that it may import. */
    private static final Map<String, Set<String>> MAY_IMPORT = Map.ofEntries(
            Map.entry("loop", Set.of()),
            Map.entry("config", Set.of()),
            Map.entry("plugin", Set.of("config")),
            Map.entry("security", Set.of("config")),
            Map.entry("storage", Set.of()),
            Map.entry("topology", Set.of("loop")),
            Map.entry("routing", Set.of("topology")),
            Map.entry("queue", Set.of("loop")),
            Map.entry("session", Set.of("loop", "config", "security", "topology", "routing", "queue")),
            Map.entry("listener", Set.of("loop", "config")),
            Map.entry(
                    "admin",
                    Set.of(
                            "loop",
                            "config",
                            "plugin",
                            "security",
                            "topology",
                            "routing",
                            "queue",
                            "session",
                            "listener")));

    /** Libraries that one room alone, or two, may know. */
    private static final Map<String, Set<String>> LIBRARIES = Map.of(
            "org.pf4j..", Set.of("plugin"),
            "picocli..", Set.of("boot"),
            "com.google.re2j..", Set.of("security", "topology"),
            "org.pcollections..", Set.of("topology", "routing"),
            "com.fasterxml.jackson..", Set.of("topology", "admin", "boot"),
            "ch.qos.logback..", Set.of("boot"),
            "io.netty.handler.ssl..", Set.of("listener"),
            "io.netty.handler.codec.http..", Set.of("listener"));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.entrepot.core");

    @Test
    void roomsImportOnlyTheRoomsBelowThem() {
        MAY_IMPORT.forEach((room, allowed) -> noClasses()
                .that()
                .resideInAPackage(CORE + room + "..")
                .should()
                .dependOnClassesThat(otherRoomsThan(room, allowed))
                .as("room " + room + " imports only " + allowed)
                .allowEmptyShould(true)
                .check(CLASSES));
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching(CORE + "(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void librariesStayInTheirRooms() {
        LIBRARIES.forEach((library, rooms) -> noClasses()
                .that(DescribedPredicate.describe(
                        "are outside " + rooms, type -> rooms.stream().noneMatch(room -> isIn(type, room))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .allowEmptyShould(true)
                .check(CLASSES));
    }

    @Test
    void theCoreKnowsNoProtocol() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.entrepot.amqp..", "org.entrepot.mqtt..", "org.entrepot.stomp..")
                .check(CLASSES);
    }

    @Test
    void machinesTouchNoClockThreadFileOrSocket() {
        noClasses()
                .that()
                .haveSimpleName("QueueMachine")
                .or()
                .haveSimpleName("QueueState")
                .or()
                .haveSimpleName("Consumers")
                .or()
                .haveSimpleName("Expiry")
                .or()
                .haveSimpleName("TopologyMachine")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty..", "java.io..", "java.nio..", "java.net..", "java.util.concurrent..", "org.slf4j..")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> otherRoomsThan(String room, Set<String> allowed) {
        return DescribedPredicate.describe(
                "are in other rooms than " + allowed,
                type -> type.getPackageName().startsWith(CORE)
                        && !isIn(type, room)
                        && allowed.stream().noneMatch(other -> isIn(type, other)));
    }

    private static boolean isIn(JavaClass type, String room) {
        String name = type.getPackageName() + ".";
        return name.startsWith(CORE + room + ".");
    }
}
