package org.entrepot.core.plugin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A plugin's zip in the making: descriptor, classes compiled on the spot, services. Used by one test. */
final class PluginZip {
    private static final String SERVICE = "META-INF/services/org.entrepot.spi.BrokerPlugin";

    private final Map<String, String> descriptor = new LinkedHashMap<>();
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, byte[]> jar = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();
    private final List<String> services = new ArrayList<>();

    private PluginZip() {}

    /** A plugin whose class {@code com.example.Plugin} does nothing. */
    static PluginZip of(String id) {
        return empty(id).plugin("com.example.Plugin", "");
    }

    /** A plugin without classes. */
    static PluginZip empty(String id) {
        PluginZip zip = new PluginZip();
        zip.describe("plugin.id", id);
        zip.describe("plugin.version", "1.0.0");
        zip.describe("plugin.requires", ">=1.0.0 & <2.0.0");
        zip.describe("plugin.provider", "Example");
        return zip;
    }

    /** Sets a line of {@code plugin.properties}; an empty value leaves it out. */
    PluginZip describe(String key, String value) {
        if (value.isEmpty()) {
            descriptor.remove(key);
        } else {
            descriptor.put(key, value);
        }
        return this;
    }

    /** Adds a plugin class with the given body and declares it. */
    PluginZip plugin(String className, String body) {
        services.add(className);
        return source(className, "public final class %s implements org.entrepot.spi.BrokerPlugin { %s }", body);
    }

    /** Adds a class; {@code %s} stands for its simple name, then for {@code body}. */
    PluginZip source(String className, String form, String body) {
        int dot = className.lastIndexOf('.');
        sources.put(
                className,
                "package " + className.substring(0, dot) + "; " + form.formatted(className.substring(dot + 1), body));
        return this;
    }

    /** Leaves a class out of the jar that the others were compiled against. */
    PluginZip leaveOut(String className) {
        leftOut.add(className);
        return this;
    }

    /** Packs a copy of a class of the broker's. */
    PluginZip copyOf(Class<?> type) throws IOException {
        String name = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
            jar.put(name, in.readAllBytes());
        }
        return this;
    }

    /** Writes {@code folder/name}. */
    Path write(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        Files.write(file, zip(entries()));
        return file;
    }

    /** Writes the plugin as a folder instead of a zip. */
    Path writeUnpacked(Path folder, String name) throws IOException {
        Path target = folder.resolve(name);
        for (Map.Entry<String, byte[]> entry : entries().entrySet()) {
            Path file = target.resolve(entry.getKey());
            Files.createDirectories(file.getParent());
            Files.write(file, entry.getValue());
        }
        return target;
    }

    private Map<String, byte[]> entries() throws IOException {
        Map<String, byte[]> classes = new LinkedHashMap<>(jar);
        classes.putAll(compile());
        for (String className : leftOut) {
            classes.remove(className.replace('.', '/') + ".class");
        }
        if (!services.isEmpty()) {
            classes.put(SERVICE, String.join("\n", services).getBytes(StandardCharsets.UTF_8));
        }
        StringWriter lines = new StringWriter();
        descriptor.forEach((key, value) -> lines.append(key + "=" + value + "\n"));
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put("plugin.properties", lines.toString().getBytes(StandardCharsets.UTF_8));
        entries.put("lib/plugin.jar", zip(classes));
        return entries;
    }

    private static byte[] zip(Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                out.putNextEntry(new ZipEntry(entry.getKey()));
                out.write(entry.getValue());
            }
        }
        return bytes.toByteArray();
    }

    private Map<String, byte[]> compile() {
        Map<String, byte[]> classes = new LinkedHashMap<>();
        if (sources.isEmpty()) {
            return classes;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> units = new ArrayList<>();
        sources.forEach((name, text) -> units.add(
                new SimpleJavaFileObject(
                        URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return text;
                    }
                }));
        StringWriter complaints = new StringWriter();
        try (JavaFileManager files =
                new ForwardingJavaFileManager<>(compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
                    @Override
                    public JavaFileObject getJavaFileForOutput(
                            Location location,
                            String className,
                            JavaFileObject.Kind kind,
                            javax.tools.FileObject sibling) {
                        return new SimpleJavaFileObject(URI.create("bytes:///" + className), kind) {
                            @Override
                            public ByteArrayOutputStream openOutputStream() {
                                return new ByteArrayOutputStream() {
                                    @Override
                                    public void close() {
                                        classes.put(className.replace('.', '/') + ".class", toByteArray());
                                    }
                                };
                            }
                        };
                    }
                }) {
            List<String> options = List.of("-proc:none", "-classpath", System.getProperty("java.class.path"));
            if (!compiler.getTask(complaints, files, null, options, null, units).call()) {
                throw new IllegalArgumentException(complaints.toString());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return classes;
    }
}
