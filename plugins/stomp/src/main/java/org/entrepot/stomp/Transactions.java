package org.entrepot.stomp;

import java.util.HashMap;
import java.util.Map;
import org.entrepot.spi.message.Envelope;
import org.entrepot.spi.message.Message;
import org.entrepot.spi.protocol.GatheringRoom;
import org.entrepot.spi.session.Address;
import org.entrepot.stomp.wire.FrameHead;
import org.entrepot.stomp.wire.Header;
import org.jspecify.annotations.Nullable;

/** The transactions that a session has begun, by the client's names. Owned by the session's loop. */
final class Transactions {
    private final long bytesMax;
    private final GatheringRoom room;
    private final Map<String, GatheredTransaction> byName = new HashMap<>();

    Transactions(long bytesMax, GatheringRoom room) {
        this.bytesMax = bytesMax;
        this.room = room;
    }

    /** Begins one; where there is one of that name already it begins anew, as RabbitMQ has it. */
    void begin(FrameHead head) {
        String name = name(head);
        if (byName.size() >= StompSettings.TRANSACTIONS_MAX) {
            throw new Refusal(
                    "Transaction limit exceeded",
                    "Too many concurrent transactions (limit " + StompSettings.TRANSACTIONS_MAX + ")");
        }
        GatheredTransaction before = byName.put(name, new GatheredTransaction());
        if (before != null) {
            room.giveBack(before.bytes());
        }
    }

    /** The transaction that a frame belongs to, with room for one more; null where it belongs to none. */
    @Nullable GatheredTransaction of(FrameHead head) {
        if (!head.has(Header.TRANSACTION)) {
            return null;
        }
        GatheredTransaction transaction = known(name(head));
        if (transaction.size() >= StompSettings.TRANSACTION_FRAMES_MAX) {
            throw new Refusal(
                    "Transaction too large",
                    "Too many actions in transaction (limit " + StompSettings.TRANSACTION_FRAMES_MAX + ")");
        }
        return transaction;
    }

    void publish(
            GatheredTransaction transaction,
            Address address,
            Message message,
            Envelope envelope,
            byte @Nullable [] receipt) {
        if (transaction.bytes() + message.size() > bytesMax) {
            throw new Refusal("Transaction too large", "Too many bytes in transaction (limit " + bytesMax + ")");
        }
        if (!room.take(message.size())) {
            throw new Refusal(
                    "Transaction too large",
                    "Unfinished messages and transactions of all connections take more than " + room.bytesMax()
                            + " bytes");
        }
        transaction.publish(address, message, envelope, receipt);
    }

    /** Takes the transaction that COMMIT or ABORT names out. */
    GatheredTransaction end(FrameHead head) {
        String name = name(head);
        GatheredTransaction transaction = known(name);
        byName.remove(name);
        room.giveBack(transaction.bytes());
        return transaction;
    }

    /** Forgets all of them, because the session ends. */
    void clear() {
        for (GatheredTransaction transaction : byName.values()) {
            room.giveBack(transaction.bytes());
        }
        byName.clear();
    }

    private GatheredTransaction known(String name) {
        GatheredTransaction transaction = byName.get(name);
        if (transaction == null) {
            throw new Refusal("Bad transaction", "Invalid transaction identifier: \"" + name + "\"\n");
        }
        return transaction;
    }

    private static String name(FrameHead head) {
        String name = head.text(Header.TRANSACTION);
        if (name == null) {
            throw new Refusal(
                    "Missing transaction", '"' + head.command().name() + "\" must include a 'transaction' header\n");
        }
        return name;
    }
}
