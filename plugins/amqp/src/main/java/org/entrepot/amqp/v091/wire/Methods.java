package org.entrepot.amqp.v091.wire;

import java.util.Locale;

/** The methods' numbers: class in the upper 16 bits, method in the lower. */
public final class Methods {
    /** No method. */
    public static final int NONE = 0;

    public static final int CONNECTION = 10;
    public static final int CHANNEL = 20;
    public static final int ACCESS = 30;
    public static final int EXCHANGE = 40;
    public static final int QUEUE = 50;
    public static final int BASIC = 60;
    public static final int CONFIRM = 85;
    public static final int TX = 90;

    public static final int CONNECTION_START = CONNECTION << 16 | 10;
    public static final int CONNECTION_START_OK = CONNECTION << 16 | 11;
    public static final int CONNECTION_SECURE = CONNECTION << 16 | 20;
    public static final int CONNECTION_SECURE_OK = CONNECTION << 16 | 21;
    public static final int CONNECTION_TUNE = CONNECTION << 16 | 30;
    public static final int CONNECTION_TUNE_OK = CONNECTION << 16 | 31;
    public static final int CONNECTION_OPEN = CONNECTION << 16 | 40;
    public static final int CONNECTION_OPEN_OK = CONNECTION << 16 | 41;
    public static final int CONNECTION_CLOSE = CONNECTION << 16 | 50;
    public static final int CONNECTION_CLOSE_OK = CONNECTION << 16 | 51;
    public static final int CONNECTION_BLOCKED = CONNECTION << 16 | 60;
    public static final int CONNECTION_UNBLOCKED = CONNECTION << 16 | 61;
    public static final int CONNECTION_UPDATE_SECRET = CONNECTION << 16 | 70;
    public static final int CONNECTION_UPDATE_SECRET_OK = CONNECTION << 16 | 71;

    public static final int CHANNEL_OPEN = CHANNEL << 16 | 10;
    public static final int CHANNEL_OPEN_OK = CHANNEL << 16 | 11;
    public static final int CHANNEL_FLOW = CHANNEL << 16 | 20;
    public static final int CHANNEL_FLOW_OK = CHANNEL << 16 | 21;
    public static final int CHANNEL_CLOSE = CHANNEL << 16 | 40;
    public static final int CHANNEL_CLOSE_OK = CHANNEL << 16 | 41;

    public static final int ACCESS_REQUEST = ACCESS << 16 | 10;
    public static final int ACCESS_REQUEST_OK = ACCESS << 16 | 11;

    public static final int EXCHANGE_DECLARE = EXCHANGE << 16 | 10;
    public static final int EXCHANGE_DECLARE_OK = EXCHANGE << 16 | 11;
    public static final int EXCHANGE_DELETE = EXCHANGE << 16 | 20;
    public static final int EXCHANGE_DELETE_OK = EXCHANGE << 16 | 21;
    public static final int EXCHANGE_BIND = EXCHANGE << 16 | 30;
    public static final int EXCHANGE_BIND_OK = EXCHANGE << 16 | 31;
    public static final int EXCHANGE_UNBIND = EXCHANGE << 16 | 40;
    public static final int EXCHANGE_UNBIND_OK = EXCHANGE << 16 | 51;

    public static final int QUEUE_DECLARE = QUEUE << 16 | 10;
    public static final int QUEUE_DECLARE_OK = QUEUE << 16 | 11;
    public static final int QUEUE_BIND = QUEUE << 16 | 20;
    public static final int QUEUE_BIND_OK = QUEUE << 16 | 21;
    public static final int QUEUE_PURGE = QUEUE << 16 | 30;
    public static final int QUEUE_PURGE_OK = QUEUE << 16 | 31;
    public static final int QUEUE_DELETE = QUEUE << 16 | 40;
    public static final int QUEUE_DELETE_OK = QUEUE << 16 | 41;
    public static final int QUEUE_UNBIND = QUEUE << 16 | 50;
    public static final int QUEUE_UNBIND_OK = QUEUE << 16 | 51;

    public static final int BASIC_QOS = BASIC << 16 | 10;
    public static final int BASIC_QOS_OK = BASIC << 16 | 11;
    public static final int BASIC_CONSUME = BASIC << 16 | 20;
    public static final int BASIC_CONSUME_OK = BASIC << 16 | 21;
    public static final int BASIC_CANCEL = BASIC << 16 | 30;
    public static final int BASIC_CANCEL_OK = BASIC << 16 | 31;
    public static final int BASIC_PUBLISH = BASIC << 16 | 40;
    public static final int BASIC_RETURN = BASIC << 16 | 50;
    public static final int BASIC_DELIVER = BASIC << 16 | 60;
    public static final int BASIC_GET = BASIC << 16 | 70;
    public static final int BASIC_GET_OK = BASIC << 16 | 71;
    public static final int BASIC_GET_EMPTY = BASIC << 16 | 72;
    public static final int BASIC_ACK = BASIC << 16 | 80;
    public static final int BASIC_REJECT = BASIC << 16 | 90;
    public static final int BASIC_RECOVER_ASYNC = BASIC << 16 | 100;
    public static final int BASIC_RECOVER = BASIC << 16 | 110;
    public static final int BASIC_RECOVER_OK = BASIC << 16 | 111;
    public static final int BASIC_NACK = BASIC << 16 | 120;

    public static final int CONFIRM_SELECT = CONFIRM << 16 | 10;
    public static final int CONFIRM_SELECT_OK = CONFIRM << 16 | 11;

    public static final int TX_SELECT = TX << 16 | 10;
    public static final int TX_SELECT_OK = TX << 16 | 11;
    public static final int TX_COMMIT = TX << 16 | 20;
    public static final int TX_COMMIT_OK = TX << 16 | 21;
    public static final int TX_ROLLBACK = TX << 16 | 30;
    public static final int TX_ROLLBACK_OK = TX << 16 | 31;

    private Methods() {}

    /** The class of a method. */
    public static int classId(int method) {
        return method >>> 16;
    }

    /** A method's number in its class. */
    public static int methodId(int method) {
        return method & 0xFFFF;
    }

    /** Whether a content header follows the method. */
    public static boolean hasContent(int method) {
        return method == BASIC_PUBLISH || method == BASIC_RETURN || method == BASIC_DELIVER || method == BASIC_GET_OK;
    }

    /** A method's name as the specification writes it, such as "queue.declare"; its numbers where it has none. */
    public static String name(int method) {
        return switch (method) {
            case CONNECTION_START -> "connection.start";
            case CONNECTION_START_OK -> "connection.start-ok";
            case CONNECTION_SECURE -> "connection.secure";
            case CONNECTION_SECURE_OK -> "connection.secure-ok";
            case CONNECTION_TUNE -> "connection.tune";
            case CONNECTION_TUNE_OK -> "connection.tune-ok";
            case CONNECTION_OPEN -> "connection.open";
            case CONNECTION_OPEN_OK -> "connection.open-ok";
            case CONNECTION_CLOSE -> "connection.close";
            case CONNECTION_CLOSE_OK -> "connection.close-ok";
            case CONNECTION_BLOCKED -> "connection.blocked";
            case CONNECTION_UNBLOCKED -> "connection.unblocked";
            case CONNECTION_UPDATE_SECRET -> "connection.update-secret";
            case CONNECTION_UPDATE_SECRET_OK -> "connection.update-secret-ok";
            case CHANNEL_OPEN -> "channel.open";
            case CHANNEL_OPEN_OK -> "channel.open-ok";
            case CHANNEL_FLOW -> "channel.flow";
            case CHANNEL_FLOW_OK -> "channel.flow-ok";
            case CHANNEL_CLOSE -> "channel.close";
            case CHANNEL_CLOSE_OK -> "channel.close-ok";
            case ACCESS_REQUEST -> "access.request";
            case ACCESS_REQUEST_OK -> "access.request-ok";
            case EXCHANGE_DECLARE -> "exchange.declare";
            case EXCHANGE_DECLARE_OK -> "exchange.declare-ok";
            case EXCHANGE_DELETE -> "exchange.delete";
            case EXCHANGE_DELETE_OK -> "exchange.delete-ok";
            case EXCHANGE_BIND -> "exchange.bind";
            case EXCHANGE_BIND_OK -> "exchange.bind-ok";
            case EXCHANGE_UNBIND -> "exchange.unbind";
            case EXCHANGE_UNBIND_OK -> "exchange.unbind-ok";
            case QUEUE_DECLARE -> "queue.declare";
            case QUEUE_DECLARE_OK -> "queue.declare-ok";
            case QUEUE_BIND -> "queue.bind";
            case QUEUE_BIND_OK -> "queue.bind-ok";
            case QUEUE_PURGE -> "queue.purge";
            case QUEUE_PURGE_OK -> "queue.purge-ok";
            case QUEUE_DELETE -> "queue.delete";
            case QUEUE_DELETE_OK -> "queue.delete-ok";
            case QUEUE_UNBIND -> "queue.unbind";
            case QUEUE_UNBIND_OK -> "queue.unbind-ok";
            case BASIC_QOS -> "basic.qos";
            case BASIC_QOS_OK -> "basic.qos-ok";
            case BASIC_CONSUME -> "basic.consume";
            case BASIC_CONSUME_OK -> "basic.consume-ok";
            case BASIC_CANCEL -> "basic.cancel";
            case BASIC_CANCEL_OK -> "basic.cancel-ok";
            case BASIC_PUBLISH -> "basic.publish";
            case BASIC_RETURN -> "basic.return";
            case BASIC_DELIVER -> "basic.deliver";
            case BASIC_GET -> "basic.get";
            case BASIC_GET_OK -> "basic.get-ok";
            case BASIC_GET_EMPTY -> "basic.get-empty";
            case BASIC_ACK -> "basic.ack";
            case BASIC_REJECT -> "basic.reject";
            case BASIC_RECOVER_ASYNC -> "basic.recover-async";
            case BASIC_RECOVER -> "basic.recover";
            case BASIC_RECOVER_OK -> "basic.recover-ok";
            case BASIC_NACK -> "basic.nack";
            case CONFIRM_SELECT -> "confirm.select";
            case CONFIRM_SELECT_OK -> "confirm.select-ok";
            case TX_SELECT -> "tx.select";
            case TX_SELECT_OK -> "tx.select-ok";
            case TX_COMMIT -> "tx.commit";
            case TX_COMMIT_OK -> "tx.commit-ok";
            case TX_ROLLBACK -> "tx.rollback";
            case TX_ROLLBACK_OK -> "tx.rollback-ok";
            default -> String.format(Locale.ROOT, "%d.%d", classId(method), methodId(method));
        };
    }
}
