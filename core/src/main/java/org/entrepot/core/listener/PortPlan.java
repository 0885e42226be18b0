package org.entrepot.core.listener;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One address and port that will be listened on, with all that is to share it.
 *
 * @param bothFamilies whether IPv4 and IPv6 are listened for, where the machine has both
 * @param where as configured, for messages
 * @param elsewhere those of all other plans that are without TLS and WebSocket
 */
record PortPlan(
        InetSocketAddress address,
        boolean bothFamilies,
        String where,
        Optional<TlsSpec> tls,
        List<Port.Entry> entries,
        List<Port.Entry> elsewhere) {

    private static final String ALL_ADDRESSES = "*";

    /** Resolves addresses, which may block, and puts together what shares a port. */
    static List<PortPlan> of(List<ListenerSpec> specs, MeterRegistry meters) throws IOException {
        List<PortPlan> plans = new ArrayList<>();
        Map<String, PortPlan> shared = new HashMap<>();
        for (ListenerSpec spec : specs) {
            Port.Entry entry = new Port.Entry(
                    spec.name(),
                    spec.protocol(),
                    new ListenerMeters(meters, spec.name(), spec.protocol().name()),
                    spec.webSocket().orElse(null));
            for (String address : spec.addresses()) {
                for (InetAddress resolved : resolve(spec, address)) {
                    InetSocketAddress socket = new InetSocketAddress(resolved, spec.port());
                    boolean all = address.equals(ALL_ADDRESSES);
                    String place = all ? where(address, spec.port()) : NetUtil.toSocketAddressString(socket);
                    PortPlan plan = spec.port() == 0 ? null : shared.get(place);
                    if (plan == null) {
                        plan = new PortPlan(
                                socket,
                                all,
                                where(address, spec.port()),
                                spec.tls(),
                                new ArrayList<>(),
                                new ArrayList<>());
                        plans.add(plan);
                        shared.put(place, plan);
                    }
                    plan.join(spec, entry);
                }
            }
        }
        for (PortPlan plan : plans) {
            for (PortPlan other : plans) {
                if (other.tls.isEmpty()) {
                    other.entries.stream()
                            .filter(entry -> entry.webSocket() == null)
                            .filter(entry -> !plan.entries.contains(entry) && !plan.elsewhere.contains(entry))
                            .forEach(plan.elsewhere::add);
                }
            }
        }
        return plans;
    }

    private void join(ListenerSpec spec, Port.Entry entry) throws IOException {
        if (!spec.tls().equals(tls)) {
            throw new IOException("listeners " + entries.get(0).listener() + " and " + spec.name() + " are both to use "
                    + where + ", but not with the same TLS: give one of them another port");
        }
        if (entries.contains(entry)) {
            return;
        }
        for (Port.Entry other : entries) {
            checkWebSocket(spec.webSocket().orElse(null), other.webSocket(), other.listener() + " and " + spec.name());
        }
        entries.add(entry);
    }

    private void checkWebSocket(@Nullable WebSocketSpec one, @Nullable WebSocketSpec other, String both)
            throws IOException {
        if ((one == null) != (other == null)) {
            throw new IOException("listeners " + both + " are both to use " + where
                    + ", but only one of them is for WebSocket: give one of them another port");
        }
        if (one != null && other != null && one.isLike(other)) {
            throw new IOException("listeners " + both + " are both to use " + where + " for WebSocket at " + one.path()
                    + ", and their subprotocols do not tell them apart: give one of them another port or path");
        }
    }

    private static List<InetAddress> resolve(ListenerSpec spec, String address) throws IOException {
        if (address.equals(ALL_ADDRESSES)) {
            return List.of(new InetSocketAddress(spec.port()).getAddress());
        }
        try {
            return List.of(InetAddress.getAllByName(address));
        } catch (UnknownHostException e) {
            throw new IOException(
                    "listener " + spec.name() + ": \"" + address + "\" is neither " + ALL_ADDRESSES
                            + ", nor an IP address, nor the name of a host that is known",
                    e);
        }
    }

    private static String where(String address, int port) {
        return address.indexOf(':') >= 0 && !address.startsWith("[")
                ? "[" + address + "]:" + port
                : address + ":" + port;
    }
}
