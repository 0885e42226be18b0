package org.entrepot.core.session;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.BiConsumer;
import org.entrepot.core.loop.Loop;
import org.entrepot.core.queue.DeliveryBatch;
import org.entrepot.core.queue.Handover;
import org.entrepot.core.queue.Queues;
import org.entrepot.core.routing.Router;
import org.entrepot.core.security.Access;
import org.entrepot.core.security.AuthenticatorChain;
import org.entrepot.core.topology.TopologyService;
import org.entrepot.spi.intercept.BrokerListener;
import org.entrepot.spi.intercept.BrokerListener.BrokerEvent;
import org.entrepot.spi.intercept.DeliveryInterceptor;
import org.entrepot.spi.intercept.PublishInterceptor;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.protocol.ConnectionFacts;
import org.entrepot.spi.security.Principal;
import org.entrepot.spi.session.Deliveries;

/** What connections and sessions work with: one instance a broker, wired by {@code boot}. Immutable. */
public final class Services {
    private static final int RANDOM_NAME_BYTES = 16;

    private final Queues queues;
    private final TopologyService topology;
    private final Router router;
    private final Access access;
    private final AuthenticatorChain authenticators;
    private final List<Handover> handovers;
    private final List<AddressCache> addressCaches;
    private final List<OutstandingBytes> outstanding;
    private final ConnectionLimits limits;
    private final Interceptors interceptors;
    private final BiConsumer<ConnectionFacts, String> complaints;
    private final SecureRandom random = new SecureRandom();

    /**
     * Extensions that see messages and events.
     *
     * @param publishes in the order in which they are asked
     * @param deliveries in the order in which they are asked
     * @param listeners hear of events
     */
    public record Interceptors(
            List<PublishInterceptor> publishes, List<DeliveryInterceptor> deliveries, List<BrokerListener> listeners) {

        public static final Interceptors NONE = new Interceptors(List.of(), List.of(), List.of());
    }

    /**
     * @param handovers of each loop, by index
     * @param complaints writes a line for operators about a client
     */
    public Services(
            Queues queues,
            TopologyService topology,
            Router router,
            Access access,
            AuthenticatorChain authenticators,
            List<Handover> handovers,
            ConnectionLimits limits,
            Interceptors interceptors,
            BiConsumer<ConnectionFacts, String> complaints) {
        this.queues = queues;
        this.topology = topology;
        this.router = router;
        this.access = access;
        this.authenticators = authenticators;
        this.handovers = List.copyOf(handovers);
        this.limits = limits;
        this.interceptors = interceptors;
        this.complaints = complaints;
        List<AddressCache> caches = new ArrayList<>();
        List<OutstandingBytes> accounts = new ArrayList<>();
        for (int i = 0; i < handovers.size(); i++) {
            caches.add(new AddressCache());
            accounts.add(new OutstandingBytes(handovers.size()));
        }
        this.addressCaches = List.copyOf(caches);
        this.outstanding = List.copyOf(accounts);
    }

    Queues queues() {
        return queues;
    }

    TopologyService topology() {
        return topology;
    }

    Router router() {
        return router;
    }

    Access access() {
        return access;
    }

    AuthenticatorChain authenticators() {
        return authenticators;
    }

    ConnectionLimits limits() {
        return limits;
    }

    Handover handover(Loop loop) {
        return handovers.get(loop.index());
    }

    AddressCache addresses(Loop loop) {
        return addressCaches.get(loop.index());
    }

    OutstandingBytes outstanding(Loop loop) {
        return outstanding.get(loop.index());
    }

    void complain(ConnectionFacts facts, String what) {
        complaints.accept(facts, what);
    }

    boolean interceptsPublishes() {
        return !interceptors.publishes().isEmpty();
    }

    PublishInterceptor.Publish intercept(Principal principal, String virtualHost, Message message, Envelope envelope) {
        PublishInterceptor.Publish publish = new PublishInterceptor.Publish(message, envelope);
        for (PublishInterceptor interceptor : interceptors.publishes()) {
            publish = interceptor.intercept(principal, virtualHost, publish);
        }
        return publish;
    }

    boolean interceptsDeliveries() {
        return !interceptors.deliveries().isEmpty();
    }

    Deliveries intercept(Principal principal, DeliveryBatch batch) {
        return new InterceptedDeliveries(batch, principal, interceptors.deliveries());
    }

    /** Tells the listeners of an event. */
    void tell(BrokerEvent event) {
        for (BrokerListener listener : interceptors.listeners()) {
            listener.event(event);
        }
    }

    String generateName(String prefix) {
        byte[] bytes = new byte[RANDOM_NAME_BYTES];
        random.nextBytes(bytes);
        return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
