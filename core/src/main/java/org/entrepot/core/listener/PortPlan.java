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

/**
 * One address and port that will be listened on, with all that is to share it.
 *
 * @param bothFamilies whether IPv4 and IPv6 are listened for, where the machine has both
 * @param where as configured, for messages
 * @param elsewhere the plain ones of all other plans
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
                    new ListenerMeters(meters, spec.name(), spec.protocol().name()));
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
        if (!entries.contains(entry)) {
            entries.add(entry);
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
