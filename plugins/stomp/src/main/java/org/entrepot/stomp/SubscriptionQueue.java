package org.entrepot.stomp;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.entrepot.spi.session.Session;
import org.entrepot.spi.topology.QueueSpec;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;

/**
 * The queue that a subscription to a topic or an exchange has. Immutable.
 *
 * <p>That of a durable one has the name that RabbitMQ gives it, which comes from the pattern and the subscription's id, so that
 * a client finds its messages after a change of brokers.
 *
 * @param nameMadeUp whether the name is not the client's
 */
record SubscriptionQueue(QueueSpec spec, boolean nameMadeUp) {
    private static final String PREFIX = "stomp-subscription-";

    // Erlang's external term format, which the name's hash is taken over.
    private static final int TERM_VERSION = 131;
    private static final int SMALL_TUPLE = 104;
    private static final int BINARY = 109;

    static SubscriptionQueue of(Destination to, FrameHead head, Session session) {
        boolean durable = isDurable(head);
        String named = head.text(Header.X_QUEUE_NAME);
        String name;
        if (named != null) {
            name = named;
        } else if (durable) {
            name = PREFIX + hash(to.name(), id(head));
        } else {
            name = session.generateName(PREFIX);
        }
        boolean exclusive = !durable || head.flag(Header.EXCLUSIVE, to.kind() == Destination.Kind.EXCHANGE);
        boolean autoDelete = !durable || head.flag(Header.AUTO_DELETE, true);
        return new SubscriptionQueue(QueueHeaders.spec(name, durable, exclusive, autoDelete, head), named == null);
    }

    static boolean isDurable(FrameHead head) {
        return head.flag(Header.DURABLE, false) || head.flag(Header.PERSISTENT, false);
    }

    private static String id(FrameHead head) {
        String id = head.text(Header.ID);
        if (id == null) {
            throw withoutId();
        }
        return id;
    }

    /** What a durable subscription without an id is told. */
    static Refusal withoutId() {
        return new Refusal("Missing Header", "Header 'id' is required for durable subscriptions");
    }

    static String hash(String pattern, String id) {
        ByteArrayOutputStream term = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(term)) {
            out.writeByte(TERM_VERSION);
            out.writeByte(SMALL_TUPLE);
            out.writeByte(2);
            for (String part : new String[] {pattern, id}) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                out.writeByte(BINARY);
                out.writeInt(bytes.length);
                out.write(bytes);
            }
            byte[] digest = MessageDigest.getInstance("MD5").digest(term.toByteArray());
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }
}
