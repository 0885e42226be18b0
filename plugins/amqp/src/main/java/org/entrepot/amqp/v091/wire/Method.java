package org.entrepot.amqp.v091.wire;

import org.entrepot.spi.message.Bytes;

/**
 * A method with its arguments. Immutable. Reserved arguments (ticket, capabilities, insist, out-of-band, known-hosts,
 * cluster-id, channel-id) are left out: ignored when read, empty when written. Short strings of methods without content
 * are text; those of methods with content, whose publishers may use other bytes, are bytes. Numbers of 32 bits are longs.
 */
public sealed interface Method {

    /** The method's number as {@link Methods} has it. */
    int number();

    record ConnectionStart(
            int versionMajor, int versionMinor, FieldTable serverProperties, Bytes mechanisms, Bytes locales)
            implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_START;
        }
    }

    record ConnectionStartOk(FieldTable clientProperties, String mechanism, Bytes response, String locale)
            implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_START_OK;
        }
    }

    record ConnectionSecure(Bytes challenge) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_SECURE;
        }
    }

    record ConnectionSecureOk(Bytes response) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_SECURE_OK;
        }
    }

    record ConnectionTune(int channelMax, long frameMax, int heartbeat) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_TUNE;
        }
    }

    record ConnectionTuneOk(int channelMax, long frameMax, int heartbeat) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_TUNE_OK;
        }
    }

    record ConnectionOpen(String virtualHost) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_OPEN;
        }
    }

    record ConnectionOpenOk() implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_OPEN_OK;
        }
    }

    record ConnectionClose(int replyCode, String replyText, int classId, int methodId) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_CLOSE;
        }
    }

    record ConnectionCloseOk() implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_CLOSE_OK;
        }
    }

    record ConnectionBlocked(String reason) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_BLOCKED;
        }
    }

    record ConnectionUnblocked() implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_UNBLOCKED;
        }
    }

    record ConnectionUpdateSecret(Bytes newSecret, String reason) implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_UPDATE_SECRET;
        }
    }

    record ConnectionUpdateSecretOk() implements Method {
        @Override
        public int number() {
            return Methods.CONNECTION_UPDATE_SECRET_OK;
        }
    }

    record ChannelOpen() implements Method {
        @Override
        public int number() {
            return Methods.CHANNEL_OPEN;
        }
    }

    record ChannelOpenOk() implements Method {
        @Override
        public int number() {
            return Methods.CHANNEL_OPEN_OK;
        }
    }

    record ChannelFlow(boolean active) implements Method {
        @Override
        public int number() {
            return Methods.CHANNEL_FLOW;
        }
    }

    record ChannelFlowOk(boolean active) implements Method {
        @Override
        public int number() {
            return Methods.CHANNEL_FLOW_OK;
        }
    }

    record ChannelClose(int replyCode, String replyText, int classId, int methodId) implements Method {
        @Override
        public int number() {
            return Methods.CHANNEL_CLOSE;
        }
    }

    record ChannelCloseOk() implements Method {
        @Override
        public int number() {
            return Methods.CHANNEL_CLOSE_OK;
        }
    }

    record AccessRequest(String realm, boolean exclusive, boolean passive, boolean active, boolean write, boolean read)
            implements Method {
        @Override
        public int number() {
            return Methods.ACCESS_REQUEST;
        }
    }

    record AccessRequestOk(int ticket) implements Method {
        @Override
        public int number() {
            return Methods.ACCESS_REQUEST_OK;
        }
    }

    record ExchangeDeclare(
            String exchange,
            String type,
            boolean passive,
            boolean durable,
            boolean autoDelete,
            boolean internal,
            boolean noWait,
            FieldTable arguments)
            implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_DECLARE;
        }
    }

    record ExchangeDeclareOk() implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_DECLARE_OK;
        }
    }

    record ExchangeDelete(String exchange, boolean ifUnused, boolean noWait) implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_DELETE;
        }
    }

    record ExchangeDeleteOk() implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_DELETE_OK;
        }
    }

    record ExchangeBind(String destination, String source, Bytes routingKey, boolean noWait, FieldTable arguments)
            implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_BIND;
        }
    }

    record ExchangeBindOk() implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_BIND_OK;
        }
    }

    record ExchangeUnbind(String destination, String source, Bytes routingKey, boolean noWait, FieldTable arguments)
            implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_UNBIND;
        }
    }

    record ExchangeUnbindOk() implements Method {
        @Override
        public int number() {
            return Methods.EXCHANGE_UNBIND_OK;
        }
    }

    record QueueDeclare(
            String queue,
            boolean passive,
            boolean durable,
            boolean exclusive,
            boolean autoDelete,
            boolean noWait,
            FieldTable arguments)
            implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_DECLARE;
        }
    }

    record QueueDeclareOk(String queue, long messageCount, long consumerCount) implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_DECLARE_OK;
        }
    }

    record QueueBind(String queue, String exchange, Bytes routingKey, boolean noWait, FieldTable arguments)
            implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_BIND;
        }
    }

    record QueueBindOk() implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_BIND_OK;
        }
    }

    record QueueUnbind(String queue, String exchange, Bytes routingKey, FieldTable arguments) implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_UNBIND;
        }
    }

    record QueueUnbindOk() implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_UNBIND_OK;
        }
    }

    record QueuePurge(String queue, boolean noWait) implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_PURGE;
        }
    }

    record QueuePurgeOk(long messageCount) implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_PURGE_OK;
        }
    }

    record QueueDelete(String queue, boolean ifUnused, boolean ifEmpty, boolean noWait) implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_DELETE;
        }
    }

    record QueueDeleteOk(long messageCount) implements Method {
        @Override
        public int number() {
            return Methods.QUEUE_DELETE_OK;
        }
    }

    record BasicQos(long prefetchSize, int prefetchCount, boolean global) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_QOS;
        }
    }

    record BasicQosOk() implements Method {
        @Override
        public int number() {
            return Methods.BASIC_QOS_OK;
        }
    }

    record BasicConsume(
            String queue,
            String consumerTag,
            boolean noLocal,
            boolean noAck,
            boolean exclusive,
            boolean noWait,
            FieldTable arguments)
            implements Method {
        @Override
        public int number() {
            return Methods.BASIC_CONSUME;
        }
    }

    record BasicConsumeOk(String consumerTag) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_CONSUME_OK;
        }
    }

    record BasicCancel(String consumerTag, boolean noWait) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_CANCEL;
        }
    }

    record BasicCancelOk(String consumerTag) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_CANCEL_OK;
        }
    }

    record BasicPublish(Bytes exchange, Bytes routingKey, boolean mandatory, boolean immediate) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_PUBLISH;
        }
    }

    record BasicReturn(int replyCode, String replyText, Bytes exchange, Bytes routingKey) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_RETURN;
        }
    }

    record BasicDeliver(String consumerTag, long deliveryTag, boolean redelivered, Bytes exchange, Bytes routingKey)
            implements Method {
        @Override
        public int number() {
            return Methods.BASIC_DELIVER;
        }
    }

    record BasicGet(String queue, boolean noAck) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_GET;
        }
    }

    record BasicGetOk(long deliveryTag, boolean redelivered, Bytes exchange, Bytes routingKey, long messageCount)
            implements Method {
        @Override
        public int number() {
            return Methods.BASIC_GET_OK;
        }
    }

    record BasicGetEmpty() implements Method {
        @Override
        public int number() {
            return Methods.BASIC_GET_EMPTY;
        }
    }

    record BasicAck(long deliveryTag, boolean multiple) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_ACK;
        }
    }

    record BasicReject(long deliveryTag, boolean requeue) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_REJECT;
        }
    }

    record BasicRecoverAsync(boolean requeue) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_RECOVER_ASYNC;
        }
    }

    record BasicRecover(boolean requeue) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_RECOVER;
        }
    }

    record BasicRecoverOk() implements Method {
        @Override
        public int number() {
            return Methods.BASIC_RECOVER_OK;
        }
    }

    record BasicNack(long deliveryTag, boolean multiple, boolean requeue) implements Method {
        @Override
        public int number() {
            return Methods.BASIC_NACK;
        }
    }

    record ConfirmSelect(boolean noWait) implements Method {
        @Override
        public int number() {
            return Methods.CONFIRM_SELECT;
        }
    }

    record ConfirmSelectOk() implements Method {
        @Override
        public int number() {
            return Methods.CONFIRM_SELECT_OK;
        }
    }

    record TxSelect() implements Method {
        @Override
        public int number() {
            return Methods.TX_SELECT;
        }
    }

    record TxSelectOk() implements Method {
        @Override
        public int number() {
            return Methods.TX_SELECT_OK;
        }
    }

    record TxCommit() implements Method {
        @Override
        public int number() {
            return Methods.TX_COMMIT;
        }
    }

    record TxCommitOk() implements Method {
        @Override
        public int number() {
            return Methods.TX_COMMIT_OK;
        }
    }

    record TxRollback() implements Method {
        @Override
        public int number() {
            return Methods.TX_ROLLBACK;
        }
    }

    record TxRollbackOk() implements Method {
        @Override
        public int number() {
            return Methods.TX_ROLLBACK_OK;
        }
    }
}
