package org.entrepot.amqp.v091.wire;

import io.netty.buffer.ByteBuf;
import org.entrepot.spi.message.Bytes;

/** Writes methods as frames. What is hot has writers of its own in {@link DeliveryWriter}. */
public final class MethodWriter {
    private MethodWriter() {}

    /**
     * Appends a method frame. Reply texts and reasons that are too long for a short string are cut.
     *
     * @throws IllegalArgumentException when any other short string has more than 255 bytes
     */
    public static void write(ByteBuf out, int channel, Method method) {
        int start = out.writerIndex();
        Frames.head(out, Frames.METHOD, channel, 0);
        out.writeInt(method.number());
        arguments(out, method);
        out.setInt(start + 3, out.writerIndex() - start - Frames.HEAD_BYTES);
        out.writeByte(Frames.END);
    }

    private static void arguments(ByteBuf out, Method method) {
        switch (Methods.classId(method.number())) {
            case Methods.CONNECTION -> connection(out, method);
            case Methods.CHANNEL -> channel(out, method);
            case Methods.ACCESS -> access(out, method);
            case Methods.EXCHANGE -> exchange(out, method);
            case Methods.QUEUE -> queue(out, method);
            case Methods.BASIC -> basic(out, method);
            case Methods.CONFIRM -> confirm(out, method);
            case Methods.TX -> {} // None has arguments.
            default -> throw new AssertionError(method);
        }
    }

    private static void connection(ByteBuf out, Method method) {
        if (method instanceof Method.ConnectionStart m) {
            out.writeByte(m.versionMajor());
            out.writeByte(m.versionMinor());
            m.serverProperties().writeTo(out);
            longBytes(out, m.mechanisms());
            longBytes(out, m.locales());
        } else if (method instanceof Method.ConnectionStartOk m) {
            m.clientProperties().writeTo(out);
            ShortString.write(out, m.mechanism());
            longBytes(out, m.response());
            ShortString.write(out, m.locale());
        } else if (method instanceof Method.ConnectionSecure m) {
            longBytes(out, m.challenge());
        } else if (method instanceof Method.ConnectionSecureOk m) {
            longBytes(out, m.response());
        } else if (method instanceof Method.ConnectionTune m) {
            out.writeShort(m.channelMax());
            out.writeInt((int) m.frameMax());
            out.writeShort(m.heartbeat());
        } else if (method instanceof Method.ConnectionTuneOk m) {
            out.writeShort(m.channelMax());
            out.writeInt((int) m.frameMax());
            out.writeShort(m.heartbeat());
        } else if (method instanceof Method.ConnectionOpen m) {
            ShortString.write(out, m.virtualHost());
            out.writeByte(0);
            out.writeByte(0);
        } else if (method instanceof Method.ConnectionOpenOk) {
            out.writeByte(0);
        } else if (method instanceof Method.ConnectionClose m) {
            out.writeShort(m.replyCode());
            ShortString.write(out, ShortString.cut(m.replyText()));
            out.writeShort(m.classId());
            out.writeShort(m.methodId());
        } else if (method instanceof Method.ConnectionBlocked m) {
            ShortString.write(out, ShortString.cut(m.reason()));
        } else if (method instanceof Method.ConnectionUpdateSecret m) {
            longBytes(out, m.newSecret());
            ShortString.write(out, ShortString.cut(m.reason()));
        }
    }

    private static void channel(ByteBuf out, Method method) {
        if (method instanceof Method.ChannelOpen) {
            out.writeByte(0);
        } else if (method instanceof Method.ChannelOpenOk) {
            out.writeInt(0);
        } else if (method instanceof Method.ChannelFlow m) {
            bits(out, m.active());
        } else if (method instanceof Method.ChannelFlowOk m) {
            bits(out, m.active());
        } else if (method instanceof Method.ChannelClose m) {
            out.writeShort(m.replyCode());
            ShortString.write(out, ShortString.cut(m.replyText()));
            out.writeShort(m.classId());
            out.writeShort(m.methodId());
        }
    }

    private static void access(ByteBuf out, Method method) {
        if (method instanceof Method.AccessRequest m) {
            ShortString.write(out, m.realm());
            bits(out, m.exclusive(), m.passive(), m.active(), m.write(), m.read());
        } else if (method instanceof Method.AccessRequestOk m) {
            out.writeShort(m.ticket());
        }
    }

    private static void exchange(ByteBuf out, Method method) {
        if (method instanceof Method.ExchangeDeclare m) {
            out.writeShort(0);
            ShortString.write(out, m.exchange());
            ShortString.write(out, m.type());
            bits(out, m.passive(), m.durable(), m.autoDelete(), m.internal(), m.noWait());
            m.arguments().writeTo(out);
        } else if (method instanceof Method.ExchangeDelete m) {
            out.writeShort(0);
            ShortString.write(out, m.exchange());
            bits(out, m.ifUnused(), m.noWait());
        } else if (method instanceof Method.ExchangeBind m) {
            out.writeShort(0);
            ShortString.write(out, m.destination());
            ShortString.write(out, m.source());
            shortBytes(out, m.routingKey());
            bits(out, m.noWait());
            m.arguments().writeTo(out);
        } else if (method instanceof Method.ExchangeUnbind m) {
            out.writeShort(0);
            ShortString.write(out, m.destination());
            ShortString.write(out, m.source());
            shortBytes(out, m.routingKey());
            bits(out, m.noWait());
            m.arguments().writeTo(out);
        }
    }

    private static void queue(ByteBuf out, Method method) {
        if (method instanceof Method.QueueDeclare m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            bits(out, m.passive(), m.durable(), m.exclusive(), m.autoDelete(), m.noWait());
            m.arguments().writeTo(out);
        } else if (method instanceof Method.QueueDeclareOk m) {
            ShortString.write(out, m.queue());
            out.writeInt((int) m.messageCount());
            out.writeInt((int) m.consumerCount());
        } else if (method instanceof Method.QueueBind m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            ShortString.write(out, m.exchange());
            shortBytes(out, m.routingKey());
            bits(out, m.noWait());
            m.arguments().writeTo(out);
        } else if (method instanceof Method.QueueUnbind m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            ShortString.write(out, m.exchange());
            shortBytes(out, m.routingKey());
            m.arguments().writeTo(out);
        } else if (method instanceof Method.QueuePurge m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            bits(out, m.noWait());
        } else if (method instanceof Method.QueuePurgeOk m) {
            out.writeInt((int) m.messageCount());
        } else if (method instanceof Method.QueueDelete m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            bits(out, m.ifUnused(), m.ifEmpty(), m.noWait());
        } else if (method instanceof Method.QueueDeleteOk m) {
            out.writeInt((int) m.messageCount());
        }
    }

    private static void basic(ByteBuf out, Method method) {
        if (method instanceof Method.BasicQos m) {
            out.writeInt((int) m.prefetchSize());
            out.writeShort(m.prefetchCount());
            bits(out, m.global());
        } else if (method instanceof Method.BasicConsume m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            ShortString.write(out, m.consumerTag());
            bits(out, m.noLocal(), m.noAck(), m.exclusive(), m.noWait());
            m.arguments().writeTo(out);
        } else if (method instanceof Method.BasicConsumeOk m) {
            ShortString.write(out, m.consumerTag());
        } else if (method instanceof Method.BasicCancel m) {
            ShortString.write(out, m.consumerTag());
            bits(out, m.noWait());
        } else if (method instanceof Method.BasicCancelOk m) {
            ShortString.write(out, m.consumerTag());
        } else if (method instanceof Method.BasicPublish m) {
            out.writeShort(0);
            shortBytes(out, m.exchange());
            shortBytes(out, m.routingKey());
            bits(out, m.mandatory(), m.immediate());
        } else if (method instanceof Method.BasicReturn m) {
            out.writeShort(m.replyCode());
            ShortString.write(out, ShortString.cut(m.replyText()));
            shortBytes(out, m.exchange());
            shortBytes(out, m.routingKey());
        } else if (method instanceof Method.BasicDeliver m) {
            ShortString.write(out, m.consumerTag());
            out.writeLong(m.deliveryTag());
            bits(out, m.redelivered());
            shortBytes(out, m.exchange());
            shortBytes(out, m.routingKey());
        } else if (method instanceof Method.BasicGet m) {
            out.writeShort(0);
            ShortString.write(out, m.queue());
            bits(out, m.noAck());
        } else if (method instanceof Method.BasicGetOk m) {
            out.writeLong(m.deliveryTag());
            bits(out, m.redelivered());
            shortBytes(out, m.exchange());
            shortBytes(out, m.routingKey());
            out.writeInt((int) m.messageCount());
        } else if (method instanceof Method.BasicGetEmpty) {
            out.writeByte(0);
        } else if (method instanceof Method.BasicAck m) {
            out.writeLong(m.deliveryTag());
            bits(out, m.multiple());
        } else if (method instanceof Method.BasicReject m) {
            out.writeLong(m.deliveryTag());
            bits(out, m.requeue());
        } else if (method instanceof Method.BasicRecoverAsync m) {
            bits(out, m.requeue());
        } else if (method instanceof Method.BasicRecover m) {
            bits(out, m.requeue());
        } else if (method instanceof Method.BasicNack m) {
            out.writeLong(m.deliveryTag());
            bits(out, m.multiple(), m.requeue());
        }
    }

    private static void confirm(ByteBuf out, Method method) {
        if (method instanceof Method.ConfirmSelect m) {
            bits(out, m.noWait());
        }
    }

    private static void bits(ByteBuf out, boolean first) {
        out.writeByte(first ? 1 : 0);
    }

    private static void bits(ByteBuf out, boolean... bits) {
        int octet = 0;
        for (int i = 0; i < bits.length; i++) {
            octet |= bits[i] ? 1 << i : 0;
        }
        out.writeByte(octet);
    }

    private static void longBytes(ByteBuf out, Bytes bytes) {
        out.writeInt(bytes.length());
        bytes.writeTo(out);
    }

    private static void shortBytes(ByteBuf out, Bytes bytes) {
        if (bytes.length() > ShortString.BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a short string holds " + ShortString.BYTES_MAX + " bytes, not " + bytes.length());
        }
        out.writeByte(bytes.length());
        bytes.writeTo(out);
    }
}
