package org.entrepot.clients;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.messaging.simp.stomp.ReactorNettyTcpStompClient;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompFrameHandler;
import org.springframework.messaging.simp.stomp.StompHeaders;
import org.springframework.messaging.simp.stomp.StompSession;
import org.springframework.messaging.simp.stomp.StompSessionHandlerAdapter;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The STOMP client of Spring's messaging, which also is what its broker relay speaks with. */
@Timeout(60)
final class SpringStompIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct("stomp");

    private static final int QUIET_SECONDS = 20;
    private static final int MESSAGES = 200;

    private ThreadPoolTaskScheduler scheduler;
    private ReactorNettyTcpStompClient client;
    private StompSession session;
    private final List<String> errors = new CopyOnWriteArrayList<>();

    /** A message as it came. */
    private record Received(StompHeaders headers, String body) {}

    /** What a subscription has got. */
    private static final class Messages implements StompFrameHandler {
        private final BlockingQueue<Received> come = new LinkedBlockingQueue<>();

        @Override
        public Type getPayloadType(StompHeaders headers) {
            return String.class;
        }

        @Override
        public void handleFrame(StompHeaders headers, Object payload) {
            come.add(new Received(headers, (String) payload));
        }

        private Received next() throws InterruptedException {
            Received next = come.poll(QUIET_SECONDS, SECONDS);
            assertThat(next).as("a message").isNotNull();
            return next;
        }
    }

    /** Keeps what goes wrong: Spring tells nobody else. */
    private final class ErrorsHeard extends StompSessionHandlerAdapter {
        @Override
        public void handleFrame(StompHeaders headers, Object payload) {
            errors.add("ERROR " + headers);
        }

        @Override
        public void handleException(
                StompSession session, StompCommand command, StompHeaders headers, byte[] payload, Throwable exception) {
            errors.add(exception.toString());
        }
    }

    @BeforeEach
    void connect() throws Exception {
        scheduler = new ThreadPoolTaskScheduler();
        scheduler.initialize();
        client = new ReactorNettyTcpStompClient(StartedProduct.HOST, PRODUCT.port());
        client.setMessageConverter(new StringMessageConverter(StandardCharsets.UTF_8));
        client.setTaskScheduler(scheduler);
        StompHeaders headers = new StompHeaders();
        headers.setLogin("guest");
        headers.setPasscode("guest");
        headers.setHost("/");
        headers.setHeartbeat(new long[] {5_000, 5_000});
        session = client.connectAsync(headers, new ErrorsHeard()).get(QUIET_SECONDS, SECONDS);
        session.setAutoReceipt(true);
    }

    @AfterEach
    void disconnect() {
        session.disconnect();
        client.shutdown();
        scheduler.shutdown();
        assertThat(errors).isEmpty();
    }

    private static StompHeaders to(String destination) {
        StompHeaders headers = new StompHeaders();
        headers.setDestination(destination);
        return headers;
    }

    private static void awaitReceipt(StompSession.Receiptable frame) throws Exception {
        BlockingQueue<Boolean> told = new LinkedBlockingQueue<>();
        frame.addReceiptTask(() -> told.add(true));
        frame.addReceiptLostTask(() -> told.add(false));
        assertThat(told.poll(QUIET_SECONDS, SECONDS)).as("a receipt").isEqualTo(true);
    }

    private Messages subscribe(String destination, String ack) throws Exception {
        Messages messages = new Messages();
        StompHeaders headers = to(destination);
        headers.setAck(ack);
        awaitReceipt(session.subscribe(headers, messages));
        return messages;
    }

    @Test
    void sendsWithReceiptsAndAcknowledges() throws Exception {
        Messages messages = subscribe("/queue/check.spring.stomp", "client-individual");
        for (int i = 0; i < MESSAGES; i++) {
            StompHeaders headers = to("/queue/check.spring.stomp");
            headers.set("persistent", "true");
            headers.set("number", Integer.toString(i));
            headers.set("odd", "a:b\nc");
            StompSession.Receiptable sent = session.send(headers, "message " + i + " ü");
            if (i == MESSAGES - 1) {
                awaitReceipt(sent);
            }
        }
        for (int i = 0; i < MESSAGES; i++) {
            Received message = messages.next();
            assertThat(message.body()).isEqualTo("message " + i + " ü");
            assertThat(message.headers().getFirst("number")).isEqualTo(Integer.toString(i));
            assertThat(message.headers().getFirst("odd")).isEqualTo("a:b\nc");
            session.acknowledge(message.headers().getAck(), true);
        }
    }

    @Test
    void rejectedMessagesComeBack() throws Exception {
        Messages messages = subscribe("/queue/check.spring.stomp.back", "client-individual");
        awaitReceipt(session.send("/queue/check.spring.stomp.back", "again"));
        session.acknowledge(messages.next().headers().getAck(), false);
        Received again = messages.next();
        assertThat(again.headers().getFirst("redelivered")).isEqualTo("true");
        awaitReceipt(session.acknowledge(again.headers().getAck(), true));
    }

    @Test
    void answersComeBack() throws Exception {
        Messages questions = subscribe("/topic/check.spring.stomp.questions", "auto");
        Messages answers = subscribe("/topic/check.spring.stomp.answers", "auto");
        StompHeaders headers = to("/topic/check.spring.stomp.questions");
        headers.set("reply-to", "/topic/check.spring.stomp.answers");
        session.send(headers, "20 + 22");
        Received question = questions.next();
        session.send(question.headers().getFirst("reply-to"), "42");
        assertThat(answers.next().body()).isEqualTo("42");
    }
}
