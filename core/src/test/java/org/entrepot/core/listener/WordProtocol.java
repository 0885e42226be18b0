package org.entrepot.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.entrepot.spi.message.Bytes;
import org.entrepot.spi.message.MessageFormat;
import org.entrepot.spi.protocol.Connection;
import org.entrepot.spi.protocol.ConnectionHandler;
import org.entrepot.spi.protocol.Protocol;

/** A protocol whose clients begin with a word, and which tells strangers that word. Stateless. */
record WordProtocol(String name, String word) implements Protocol {

    @Override
    public OptionalInt defaultPort() {
        return OptionalInt.empty();
    }

    @Override
    public Recognition recognise(ByteBuf firstBytes) {
        byte[] expected = word.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(expected.length, firstBytes.readableBytes());
        for (int i = 0; i < length; i++) {
            if (firstBytes.getByte(firstBytes.readerIndex() + i) != expected[i]) {
                return Recognition.NO;
            }
        }
        return length == expected.length ? Recognition.YES : Recognition.MORE;
    }

    @Override
    public Bytes refusal(ByteBuf firstBytes) {
        return Bytes.utf8("say " + word);
    }

    @Override
    public ConnectionHandler open(ChannelPipeline pipeline, Connection connection) {
        throw new UnsupportedOperationException("the listener does not make connections");
    }

    @Override
    public MessageFormat format() {
        throw new UnsupportedOperationException("the listener does not look at messages");
    }
}
