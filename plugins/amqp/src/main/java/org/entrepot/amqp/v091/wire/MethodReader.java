package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;

/** Reads methods' arguments. */
public final class MethodReader {
    private MethodReader() {}

    /**
     * Reads the arguments that {@link FrameSink#method} was given.
     *
     * @throws WireException FRAME_ERROR when they cannot be decoded, INTERNAL_ERROR for a table's unknown type,
     *     NOT_IMPLEMENTED for a class or method that does not exist
     */
    public static Method read(int method, ByteBuf buffer, int index, int length) {
        ArgumentReader in = new ArgumentReader(method, buffer, index, length);
        Method read = switch (Methods.classId(method)) {
            case Methods.CONNECTION -> connection(method, in);
            case Methods.CHANNEL -> channel(method, in);
            case Methods.ACCESS -> access(method, in);
            case Methods.EXCHANGE -> exchange(method, in);
            case Methods.QUEUE -> queue(method, in);
            case Methods.BASIC -> basic(method, in);
            case Methods.CONFIRM -> confirm(method, in);
            case Methods.TX -> tx(method);
            default ->
                throw new WireException(ReplyCode.NOT_IMPLEMENTED, "unknown class " + Methods.classId(method), method);
        };
        in.end();
        return read;
    }

    /** What to throw for arguments that are too short, too long or not what they should be. */
    static WireException cannotDecode(int method, ByteBuf buffer, int index, int length) {
        return new WireException(
                ReplyCode.FRAME_ERROR, "cannot decode " + ErlangText.numbers(buffer, index, length), method);
    }

    private static Method connection(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.CONNECTION_START ->
                new Method.ConnectionStart(in.octet(), in.octet(), in.table(), in.longBytes(), in.longBytes());
            case Methods.CONNECTION_START_OK ->
                new Method.ConnectionStartOk(in.table(), in.shortText(), in.longBytes(), in.shortText());
            case Methods.CONNECTION_SECURE -> new Method.ConnectionSecure(in.longBytes());
            case Methods.CONNECTION_SECURE_OK -> new Method.ConnectionSecureOk(in.longBytes());
            case Methods.CONNECTION_TUNE ->
                new Method.ConnectionTune(in.shortNumber(), in.longNumber(), in.shortNumber());
            case Methods.CONNECTION_TUNE_OK ->
                new Method.ConnectionTuneOk(in.shortNumber(), in.longNumber(), in.shortNumber());
            case Methods.CONNECTION_OPEN -> {
                Method open = new Method.ConnectionOpen(in.shortText());
                in.skipShortString();
                in.skipBits();
                yield open;
            }
            case Methods.CONNECTION_OPEN_OK -> {
                in.skipShortString();
                yield new Method.ConnectionOpenOk();
            }
            case Methods.CONNECTION_CLOSE ->
                new Method.ConnectionClose(in.shortNumber(), in.shortText(), in.shortNumber(), in.shortNumber());
            case Methods.CONNECTION_CLOSE_OK -> new Method.ConnectionCloseOk();
            case Methods.CONNECTION_BLOCKED -> new Method.ConnectionBlocked(in.shortText());
            case Methods.CONNECTION_UNBLOCKED -> new Method.ConnectionUnblocked();
            case Methods.CONNECTION_UPDATE_SECRET -> new Method.ConnectionUpdateSecret(in.longBytes(), in.shortText());
            case Methods.CONNECTION_UPDATE_SECRET_OK -> new Method.ConnectionUpdateSecretOk();
            default -> throw unknown(method);
        };
    }

    private static Method channel(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.CHANNEL_OPEN -> {
                in.skipShortString();
                yield new Method.ChannelOpen();
            }
            case Methods.CHANNEL_OPEN_OK -> {
                in.skipLongString();
                yield new Method.ChannelOpenOk();
            }
            case Methods.CHANNEL_FLOW -> new Method.ChannelFlow(in.firstBit());
            case Methods.CHANNEL_FLOW_OK -> new Method.ChannelFlowOk(in.firstBit());
            case Methods.CHANNEL_CLOSE ->
                new Method.ChannelClose(in.shortNumber(), in.shortText(), in.shortNumber(), in.shortNumber());
            case Methods.CHANNEL_CLOSE_OK -> new Method.ChannelCloseOk();
            default -> throw unknown(method);
        };
    }

    private static Method access(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.ACCESS_REQUEST ->
                new Method.AccessRequest(
                        in.shortText(), in.firstBit(), in.nextBit(), in.nextBit(), in.nextBit(), in.nextBit());
            case Methods.ACCESS_REQUEST_OK -> new Method.AccessRequestOk(in.shortNumber());
            default -> throw unknown(method);
        };
    }

    private static Method exchange(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.EXCHANGE_DECLARE ->
                new Method.ExchangeDeclare(
                        in.afterTicket().shortText(),
                        in.shortText(),
                        in.firstBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.table());
            case Methods.EXCHANGE_DECLARE_OK -> new Method.ExchangeDeclareOk();
            case Methods.EXCHANGE_DELETE ->
                new Method.ExchangeDelete(in.afterTicket().shortText(), in.firstBit(), in.nextBit());
            case Methods.EXCHANGE_DELETE_OK -> new Method.ExchangeDeleteOk();
            case Methods.EXCHANGE_BIND ->
                new Method.ExchangeBind(
                        in.afterTicket().shortText(), in.shortText(), in.shortBytes(), in.firstBit(), in.table());
            case Methods.EXCHANGE_BIND_OK -> new Method.ExchangeBindOk();
            case Methods.EXCHANGE_UNBIND ->
                new Method.ExchangeUnbind(
                        in.afterTicket().shortText(), in.shortText(), in.shortBytes(), in.firstBit(), in.table());
            case Methods.EXCHANGE_UNBIND_OK -> new Method.ExchangeUnbindOk();
            default -> throw unknown(method);
        };
    }

    private static Method queue(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.QUEUE_DECLARE ->
                new Method.QueueDeclare(
                        in.afterTicket().shortText(),
                        in.firstBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.table());
            case Methods.QUEUE_DECLARE_OK ->
                new Method.QueueDeclareOk(in.shortText(), in.longNumber(), in.longNumber());
            case Methods.QUEUE_BIND ->
                new Method.QueueBind(
                        in.afterTicket().shortText(), in.shortText(), in.shortBytes(), in.firstBit(), in.table());
            case Methods.QUEUE_BIND_OK -> new Method.QueueBindOk();
            case Methods.QUEUE_UNBIND ->
                new Method.QueueUnbind(in.afterTicket().shortText(), in.shortText(), in.shortBytes(), in.table());
            case Methods.QUEUE_UNBIND_OK -> new Method.QueueUnbindOk();
            case Methods.QUEUE_PURGE -> new Method.QueuePurge(in.afterTicket().shortText(), in.firstBit());
            case Methods.QUEUE_PURGE_OK -> new Method.QueuePurgeOk(in.longNumber());
            case Methods.QUEUE_DELETE ->
                new Method.QueueDelete(in.afterTicket().shortText(), in.firstBit(), in.nextBit(), in.nextBit());
            case Methods.QUEUE_DELETE_OK -> new Method.QueueDeleteOk(in.longNumber());
            default -> throw unknown(method);
        };
    }

    private static Method basic(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.BASIC_QOS -> new Method.BasicQos(in.longNumber(), in.shortNumber(), in.firstBit());
            case Methods.BASIC_QOS_OK -> new Method.BasicQosOk();
            case Methods.BASIC_CONSUME ->
                new Method.BasicConsume(
                        in.afterTicket().shortText(),
                        in.shortText(),
                        in.firstBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.nextBit(),
                        in.table());
            case Methods.BASIC_CONSUME_OK -> new Method.BasicConsumeOk(in.shortText());
            case Methods.BASIC_CANCEL -> new Method.BasicCancel(in.shortText(), in.firstBit());
            case Methods.BASIC_CANCEL_OK -> new Method.BasicCancelOk(in.shortText());
            case Methods.BASIC_PUBLISH ->
                new Method.BasicPublish(in.afterTicket().shortBytes(), in.shortBytes(), in.firstBit(), in.nextBit());
            case Methods.BASIC_RETURN ->
                new Method.BasicReturn(in.shortNumber(), in.shortText(), in.shortBytes(), in.shortBytes());
            case Methods.BASIC_DELIVER ->
                new Method.BasicDeliver(in.shortText(), in.longLong(), in.firstBit(), in.shortBytes(), in.shortBytes());
            case Methods.BASIC_GET -> new Method.BasicGet(in.afterTicket().shortText(), in.firstBit());
            case Methods.BASIC_GET_OK ->
                new Method.BasicGetOk(in.longLong(), in.firstBit(), in.shortBytes(), in.shortBytes(), in.longNumber());
            case Methods.BASIC_GET_EMPTY -> {
                in.skipShortString();
                yield new Method.BasicGetEmpty();
            }
            case Methods.BASIC_ACK -> new Method.BasicAck(in.longLong(), in.firstBit());
            case Methods.BASIC_REJECT -> new Method.BasicReject(in.longLong(), in.firstBit());
            case Methods.BASIC_RECOVER_ASYNC -> new Method.BasicRecoverAsync(in.firstBit());
            case Methods.BASIC_RECOVER -> new Method.BasicRecover(in.firstBit());
            case Methods.BASIC_RECOVER_OK -> new Method.BasicRecoverOk();
            case Methods.BASIC_NACK -> new Method.BasicNack(in.longLong(), in.firstBit(), in.nextBit());
            default -> throw unknown(method);
        };
    }

    private static Method confirm(int method, ArgumentReader in) {
        return switch (method) {
            case Methods.CONFIRM_SELECT -> new Method.ConfirmSelect(in.firstBit());
            case Methods.CONFIRM_SELECT_OK -> new Method.ConfirmSelectOk();
            default -> throw unknown(method);
        };
    }

    private static Method tx(int method) {
        return switch (method) {
            case Methods.TX_SELECT -> new Method.TxSelect();
            case Methods.TX_SELECT_OK -> new Method.TxSelectOk();
            case Methods.TX_COMMIT -> new Method.TxCommit();
            case Methods.TX_COMMIT_OK -> new Method.TxCommitOk();
            case Methods.TX_ROLLBACK -> new Method.TxRollback();
            case Methods.TX_ROLLBACK_OK -> new Method.TxRollbackOk();
            default -> throw unknown(method);
        };
    }

    private static WireException unknown(int method) {
        return new WireException(ReplyCode.NOT_IMPLEMENTED, "unknown method " + Methods.name(method), method);
    }
}
