package org.entrepot.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.entrepot.core.loop.Loops;
import org.entrepot.core.storage.MemoryStorage;
import org.entrepot.core.topology.AdminChange;
import org.entrepot.core.topology.ExchangeTypes;
import org.entrepot.core.topology.Policy;
import org.entrepot.core.topology.QueueNode;
import org.entrepot.core.topology.StoredTopologyLog;
import org.entrepot.core.topology.Topology;
import org.entrepot.core.topology.TopologyLimits;
import org.entrepot.core.topology.TopologyListener;
import org.entrepot.core.topology.TopologyService;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.message.RoutingKey;
import org.entrepot.spi.topology.BindingSpec;
import org.entrepot.spi.topology.BindingSpec.Destination;
import org.entrepot.spi.topology.ExchangeSpec;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.spi.topology.TopologyChange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RouterTest {
    private static final String HOST = "/";

    private final Loops loops = new Loops(1, System::currentTimeMillis);
    private final TopologyService service = new TopologyService(
            loops.get(0),
            new StoredTopologyLog(new MemoryStorage(), loops.get(0)),
            new ExchangeTypes(BuiltInTypes.all()),
            new Nobody(),
            TopologyLimits.DEFAULT,
            List.of());
    private final Router router = new Router();

    @BeforeEach
    void start() throws Exception {
        finish(service.start());
        finish(service.administer(List.of(AdminChange.PutVirtualHost.plain(HOST)), Runnable::run));
    }

    @AfterEach
    void stop() throws Exception {
        finish(loops.close());
    }

    @Test
    void theDefaultExchangeLeadsToTheQueueOfThatName() throws Exception {
        change(queue("q"));
        Route route = route("", "q");
        assertThat(names(route)).containsExactly("q");
        assertThat(route.exists()).isTrue();
        assertThat(route.exchange()).isNull();
        assertThat(route.reusable()).isTrue();
        assertThat(names(route("", "absent"))).isEmpty();
    }

    @Test
    void anExchangeLeadsWhereItsBindingsDo() throws Exception {
        change(queue("a"), queue("b"), exchange("x", "direct"), bind("x", "a", "k"), bind("x", "b", "l"));
        Route route = route("x", "k");
        assertThat(names(route)).containsExactly("a");
        assertThat(route.exchange()).isSameAs(now().virtualHost(HOST).exchange("x"));
        assertThat(names(route("x", "nowhere"))).isEmpty();
    }

    @Test
    void whatIsNotThereDoesNotExist() throws Exception {
        assertThat(route("x", "k").exists()).isFalse();
        assertThat(router.route(now(), "absent", "", RoutingKey.of("q")).exists())
                .isFalse();
        change(exchange("x", "direct"));
        assertThat(route("x", "k").exists()).isTrue();
    }

    @Test
    void aQueueIsReachedOnceHoweverManyWaysThereAre() throws Exception {
        change(
                queue("q"),
                exchange("x", "topic"),
                exchange("y", "fanout"),
                bind("x", "q", "#"),
                bind("x", "q", "a.*"),
                bindExchange("x", "y", "a.b"),
                bind("y", "q", ""));
        assertThat(names(route("x", "a.b"))).containsExactly("q");
    }

    @Test
    void manyQueuesAreReachedOnceEach() throws Exception {
        List<TopologyChange> changes = new ArrayList<>(List.of(exchange("x", "topic")));
        for (int i = 0; i < 100; i++) {
            changes.add(queue("q" + i));
            changes.add(bind("x", "q" + i, "#"));
            changes.add(bind("x", "q" + i, "a.#"));
        }
        change(changes.toArray(new TopologyChange[0]));
        assertThat(route("x", "a.b").size()).isEqualTo(100);
        assertThat(names(route("x", "a.b"))).doesNotHaveDuplicates();
    }

    @Test
    void exchangesBoundInACircleAreVisitedOnce() throws Exception {
        change(
                queue("q"),
                exchange("x", "fanout"),
                exchange("y", "fanout"),
                bindExchange("x", "y", ""),
                bindExchange("y", "x", ""),
                bindExchange("x", "x", ""),
                bind("y", "q", ""));
        assertThat(names(route("x", ""))).containsExactly("q");
    }

    @Test
    void aLongChainOfExchangesIsFollowed() throws Exception {
        List<TopologyChange> changes = new ArrayList<>(List.of(queue("q"), exchange("x0", "fanout")));
        for (int i = 1; i < 60; i++) {
            changes.add(exchange("x" + i, "fanout"));
            changes.add(bindExchange("x" + (i - 1), "x" + i, ""));
            changes.add(bindExchange("x" + i, "x0", ""));
        }
        changes.add(bind("x59", "q", ""));
        change(changes.toArray(new TopologyChange[0]));
        assertThat(names(route("x0", ""))).containsExactly("q");
    }

    @Test
    void theAlternateGetsWhatAnExchangeMatchesNothingFor() throws Exception {
        change(
                queue("bound"),
                queue("left"),
                exchange("alternate", "fanout"),
                bind("alternate", "left", ""),
                withAlternate("x", "alternate"),
                bind("x", "bound", "k"));
        assertThat(names(route("x", "k"))).containsExactly("bound");
        assertThat(names(route("x", "other"))).containsExactly("left");
    }

    @Test
    void alternatesAreFollowedInAChainAndInACircle() throws Exception {
        change(
                queue("q"),
                withAlternate("a", "b"),
                withAlternate("b", "c"),
                withAlternate("c", "a"),
                bind("c", "q", "k"));
        assertThat(names(route("a", "k"))).containsExactly("q");
        assertThat(names(route("a", "other"))).isEmpty();
    }

    @Test
    void theAlternateOfAnExchangeBoundToHelpsAsWell() throws Exception {
        change(
                queue("q"),
                exchange("x", "fanout"),
                exchange("rest", "fanout"),
                bind("rest", "q", ""),
                withAlternate("y", "rest"),
                bindExchange("x", "y", ""));
        assertThat(names(route("x", "k"))).containsExactly("q");
    }

    @Test
    void anAlternateThatIsNotThereLeadsNowhere() throws Exception {
        change(withAlternate("x", "absent"));
        Route route = route("x", "k");
        assertThat(names(route)).isEmpty();
        change(queue("q"), exchange("absent", "fanout"));
        assertThat(route.current(now())).isFalse();
    }

    @Test
    void theDefaultExchangeCanBeAnAlternate() throws Exception {
        change(queue("q"), withAlternate("x", ""));
        assertThat(names(route("x", "q"))).containsExactly("q");
    }

    @Test
    void anAlternateMayBeAPolicys() throws Exception {
        change(queue("q"), exchange("x", "direct"), exchange("rest", "fanout"), bind("rest", "q", ""));
        Route before = route("x", "k");
        finish(service.administer(
                List.of(new AdminChange.SetPolicy(
                        HOST,
                        new Policy(
                                "p", "^x$", Policy.ApplyTo.EXCHANGES, 0, Map.of("alternate-exchange", "rest"), false))),
                Runnable::run));
        assertThat(before.current(now())).isFalse();
        assertThat(names(route("x", "k"))).containsExactly("q");
    }

    @Test
    void aRouteThroughAnExchangeThatLooksIntoMessagesIsNotReusable() throws Exception {
        change(
                queue("q"),
                queue("r"),
                exchange("x", "fanout"),
                exchange("h", "headers"),
                bind("x", "r", ""),
                bindExchange("x", "h", ""),
                new TopologyChange.Bind(
                        new BindingSpec("h", Destination.queue("q"), RoutingKey.EMPTY, Map.of("a", 1L))));
        Route route = route("x", "k");
        assertThat(route.reusable()).isFalse();
        assertThat(route.size()).isZero();
        assertThat(route.exists()).isTrue();
        assertThat(routeMessage("x", Messages.with(Map.of("a", 1L)), "k")).containsExactly("q", "r");
        assertThat(routeMessage("x", Messages.PLAIN, "k")).containsExactly("r");
    }

    @Test
    void copiesAreRoutedByTheirOwnKeys() throws Exception {
        change(queue("a"), queue("b"), queue("c"), exchange("x", "direct"));
        change(bind("x", "a", "a"), bind("x", "b", "b"), bind("x", "c", "c"), bind("x", "a", "b"));
        assertThat(routeMessage("x", Messages.PLAIN, "a", "b", "c", "b")).containsExactly("a", "b", "c");
        assertThat(routeMessage("", Messages.PLAIN, "a", "b", "absent")).containsExactly("a", "b");
    }

    @Test
    void anExchangeHasMatchedSomethingWhenAnyOfTheKeysHas() throws Exception {
        change(
                queue("q"),
                queue("left"),
                exchange("rest", "fanout"),
                bind("rest", "left", ""),
                withAlternate("x", "rest"),
                bind("x", "q", "k"));
        assertThat(routeMessage("x", Messages.PLAIN, "nowhere", "k")).containsExactly("q");
        assertThat(routeMessage("x", Messages.PLAIN, "nowhere", "neither")).containsExactly("left");
    }

    @Test
    void anExchangeThatPicksOnePicksOneForAllKeysOfAMessage() throws Exception {
        change(exchange("x", "x-random"));
        for (int i = 0; i < 10; i++) {
            change(queue("q" + i), bind("x", "q" + i, ""));
        }
        for (int i = 0; i < 50; i++) {
            assertThat(routeMessage("x", Messages.PLAIN, "a", "b", "c")).hasSize(1);
        }
    }

    @Test
    void aRouteStaysCurrentWhileOnlyOtherThingsChange() throws Exception {
        change(queue("q"), exchange("x", "direct"), bind("x", "q", "k"));
        Route route = route("x", "k");
        assertThat(route.current(now())).isTrue();
        change(queue("other"), exchange("y", "direct"), bind("y", "other", "k"));
        assertThat(route.current(now())).isTrue();
        change(bind("x", "other", "l"));
        assertThat(route.current(now())).isFalse();
        assertThat(route.current(now())).isFalse();
    }

    @Test
    void aRouteEndsWithItsQueueAndWithAnyExchangeOnTheWay() throws Exception {
        change(
                queue("q"),
                exchange("x", "fanout"),
                exchange("y", "fanout"),
                bindExchange("x", "y", ""),
                bind("y", "q", ""));
        Route route = route("x", "k");
        change(queue("r"), bind("y", "r", ""));
        assertThat(route.current(now())).isFalse();
        Route through = route("x", "k");
        change(new TopologyChange.DeleteQueue("q", false, false));
        assertThat(through.current(now())).isFalse();
        Route missing = route("", "q");
        change(queue("q"));
        assertThat(missing.current(now())).isFalse();
        Route byName = route("", "q");
        change(new TopologyChange.DeleteQueue("q", false, false), queue("q"));
        assertThat(byName.current(now())).isFalse();
    }

    @Test
    void aRouteEndsWithItsVirtualHost() throws Exception {
        change(queue("q"));
        Route route = route("", "q");
        finish(service.administer(List.of(new AdminChange.DeleteVirtualHost(HOST)), Runnable::run));
        assertThat(route.current(now())).isFalse();
        Route nowhere = route("", "q");
        assertThat(nowhere.exists()).isFalse();
        finish(service.administer(List.of(AdminChange.PutVirtualHost.plain(HOST)), Runnable::run));
        assertThat(nowhere.current(now())).isFalse();
    }

    private Route route(String exchange, String key) {
        return router.route(now(), HOST, exchange, RoutingKey.of(key));
    }

    /** Routes by the first key, copies by the second and third, and blind copies by the rest. */
    private List<String> routeMessage(String exchange, Message message, String... keys) {
        List<RoutingKey> all = new ArrayList<>();
        for (String key : keys) {
            all.add(RoutingKey.of(key));
        }
        int copies = Math.min(3, all.size());
        List<String> names = new ArrayList<>();
        router.route(
                now(),
                HOST,
                exchange,
                all.get(0),
                all.subList(1, copies),
                all.subList(copies, all.size()),
                message,
                queue -> names.add(queue.name()));
        Collections.sort(names);
        return names;
    }

    private static List<String> names(Route route) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < route.size(); i++) {
            names.add(route.queue(i).name());
        }
        Collections.sort(names);
        return names;
    }

    private Topology now() {
        return service.current();
    }

    private void change(TopologyChange... changes) throws Exception {
        finish(service.change(HOST, 1, List.of(changes), Runnable::run));
    }

    private static TopologyChange queue(String name) {
        return new TopologyChange.DeclareQueue(QueueSpec.plain(name, false, false, false));
    }

    private static TopologyChange exchange(String name, String type) {
        return new TopologyChange.DeclareExchange(ExchangeSpec.plain(name, type, false));
    }

    private static TopologyChange withAlternate(String name, @Nullable String alternate) {
        return new TopologyChange.DeclareExchange(
                new ExchangeSpec(name, "direct", false, false, false, alternate, Map.of()));
    }

    private static TopologyChange bind(String source, String queue, String key) {
        return new TopologyChange.Bind(new BindingSpec(source, Destination.queue(queue), RoutingKey.of(key), Map.of()));
    }

    private static TopologyChange bindExchange(String source, String exchange, String key) {
        return new TopologyChange.Bind(
                new BindingSpec(source, Destination.exchange(exchange), RoutingKey.of(key), Map.of()));
    }

    private static <T> T finish(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** Keeps no queues. */
    private static final class Nobody implements TopologyListener {
        @Override
        public void queueAdded(QueueNode queue) {}

        @Override
        public void queueChanged(QueueNode queue) {}

        @Override
        public void queueRemoved(QueueNode queue) {}
    }
}
