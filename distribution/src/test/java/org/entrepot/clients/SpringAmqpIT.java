package org.entrepot.clients;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.rabbitmq.client.ShutdownSignalException;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.FanoutExchange;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.core.QueueInformation;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionListener;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.SendTo;

/** Spring AMQP, used as applications do: declarations as beans, a template, listeners by annotation. */
@Timeout(60)
final class SpringAmqpIT {
    @RegisterExtension
    static final StartedProduct PRODUCT = new StartedProduct();

    private static final int QUIET_SECONDS = 20;
    private static final int MESSAGES = 200;

    private final Sockets sockets = new Sockets();
    private AnnotationConfigApplicationContext context;
    private RabbitTemplate template;
    private Application application;

    @BeforeEach
    void start() {
        context = new AnnotationConfigApplicationContext();
        context.registerBean(Sockets.class, () -> sockets);
        context.register(Application.class);
        context.refresh();
        template = context.getBean(RabbitTemplate.class);
        application = context.getBean(Application.class);
    }

    @AfterEach
    void stop() {
        RabbitAdmin admin = context.getBean(RabbitAdmin.class);
        // The listeners first: they declare their queues again when these vanish under them.
        context.stop();
        List.of("check.spring.orders", "check.spring.dead", "check.spring.sums").forEach(admin::deleteQueue);
        List.of("check.spring", "check.spring.dead").forEach(admin::deleteExchange);
        context.close();
    }

    @Test
    void declaresItsBeans() {
        RabbitAdmin admin = context.getBean(RabbitAdmin.class);
        assertThat(admin.getQueueInfo("check.spring.orders"))
                .extracting(QueueInformation::getName, QueueInformation::getMessageCount)
                .containsExactly("check.spring.orders", 0L);
        assertThat(admin.getQueueInfo("check.spring.absent")).isNull();
        // A second declaration of the same is accepted.
        admin.initialize();
    }

    @Test
    void publishesWithCorrelatedConfirmsAndConsumes() throws Exception {
        List<CorrelationData> correlations = new ArrayList<>();
        List<String> sent = new ArrayList<>();
        for (int number = 0; number < MESSAGES; number++) {
            CorrelationData correlation = new CorrelationData("order " + number);
            template.convertAndSend("check.spring", "order.new", "order " + number, correlation);
            correlations.add(correlation);
            sent.add("order " + number);
        }
        for (CorrelationData correlation : correlations) {
            assertThat(correlation.getFuture().get(QUIET_SECONDS, SECONDS).ack())
                    .isTrue();
        }
        List<String> received = new ArrayList<>();
        for (int number = 0; number < MESSAGES; number++) {
            received.add(next(application.orders));
        }
        // A channel with open confirms is not used again, so the messages went over several and have no order.
        assertThat(received).containsExactlyInAnyOrderElementsOf(sent);
        CorrelationData unroutable = new CorrelationData("unroutable");
        template.convertAndSend("check.spring", "nowhere", "nobody", unroutable);
        assertThat(unroutable.getFuture().get(QUIET_SECONDS, SECONDS).ack()).isTrue();
        assertThat(unroutable.getReturned().getReplyText()).isEqualTo("NO_ROUTE");

        CorrelationData refused = new CorrelationData("refused");
        template.convertAndSend("check.spring.absent", "order.new", "nobody", refused);
        assertThat(refused.getFuture().get(QUIET_SECONDS, SECONDS).ack()).isFalse();
    }

    @Test
    void rejectsAndReadsWhyALetterIsDead() throws Exception {
        template.convertAndSend("check.spring", "order.bad", "reject");
        assertThat(next(application.orders)).isEqualTo("reject");
        Message letter = template.receive("check.spring.dead", SECONDS.toMillis(QUIET_SECONDS));
        assertThat(letter).isNotNull();
        List<Map<String, ?>> deaths = letter.getMessageProperties().getXDeathHeader();
        assertThat(deaths).hasSize(1);
        Map<String, Object> death = new HashMap<>(deaths.get(0));
        assertThat(death.remove("time")).isInstanceOf(Date.class);
        assertThat(death)
                .containsOnly(
                        entry("reason", "rejected"),
                        entry("queue", "check.spring.orders"),
                        entry("exchange", "check.spring"),
                        entry("count", 1L),
                        entry("routing-keys", List.of("order.bad")));
    }

    @Test
    void callsOverDirectReplyTo() {
        for (int call = 0; call < 10; call++) {
            assertThat(template.convertSendAndReceive("", "check.spring.sums", call + " 2"))
                    .isEqualTo(call + 2 + "");
        }
    }

    @Test
    void goesOnByItselfAfterItsConnectionWasDropped() throws Exception {
        template.convertAndSend("check.spring", "order.new", "before");
        assertThat(next(application.orders)).isEqualTo("before");
        CompletableFuture<ShutdownSignalException> lost = new CompletableFuture<>();
        context.getBean(ConnectionFactory.class).addConnectionListener(new ConnectionListener() {
            @Override
            public void onCreate(Connection connection) {}

            @Override
            public void onShutDown(ShutdownSignalException signal) {
                lost.complete(signal);
            }
        });
        sockets.cut();
        lost.get(QUIET_SECONDS, SECONDS);
        // The template opens a new connection, and the listeners come back to it.
        CorrelationData correlation = new CorrelationData("after");
        template.convertAndSend("check.spring", "order.new", "after", correlation);
        assertThat(correlation.getFuture().get(QUIET_SECONDS, SECONDS).ack()).isTrue();
        String next = next(application.orders);
        if (next.equals("before")) {
            // Its acknowledgement was lost with the connection.
            next = next(application.orders);
        }
        assertThat(next).isEqualTo("after");
    }

    private static String next(BlockingQueue<String> received) throws InterruptedException {
        String next = received.poll(QUIET_SECONDS, SECONDS);
        assertThat(next).as("a message within %d s", QUIET_SECONDS).isNotNull();
        return next;
    }

    /** The application: what it declares and what it listens to. Made by Spring. */
    @Configuration
    @EnableRabbit
    static class Application {
        final BlockingQueue<String> orders = new LinkedBlockingQueue<>();

        @Bean
        CachingConnectionFactory connectionFactory(Sockets sockets) {
            CachingConnectionFactory factory = new CachingConnectionFactory(StartedProduct.HOST, PRODUCT.port());
            factory.getRabbitConnectionFactory().setSocketConfigurator(sockets);
            factory.setPublisherConfirmType(CachingConnectionFactory.ConfirmType.CORRELATED);
            factory.setPublisherReturns(true);
            return factory;
        }

        @Bean
        RabbitAdmin admin(ConnectionFactory connections) {
            return new RabbitAdmin(connections);
        }

        @Bean
        RabbitTemplate template(ConnectionFactory connections) {
            RabbitTemplate template = new RabbitTemplate(connections);
            template.setMandatory(true);
            template.setReplyTimeout(SECONDS.toMillis(QUIET_SECONDS));
            return template;
        }

        @Bean
        SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory(ConnectionFactory connections) {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConnectionFactory(connections);
            factory.setPrefetchCount(10);
            factory.setRecoveryInterval(50L);
            return factory;
        }

        @Bean
        TopicExchange exchange() {
            return new TopicExchange("check.spring");
        }

        @Bean
        FanoutExchange deadExchange() {
            return new FanoutExchange("check.spring.dead");
        }

        @Bean
        Queue orders() {
            return QueueBuilder.durable("check.spring.orders")
                    .deadLetterExchange("check.spring.dead")
                    .ttl(600_000)
                    .maxPriority(3)
                    .build();
        }

        @Bean
        Queue dead() {
            return QueueBuilder.durable("check.spring.dead").quorum().build();
        }

        @Bean
        Queue sums() {
            return QueueBuilder.nonDurable("check.spring.sums").build();
        }

        @Bean
        Binding ordersBinding() {
            return BindingBuilder.bind(orders()).to(exchange()).with("order.#");
        }

        @Bean
        Binding deadBinding() {
            return BindingBuilder.bind(dead()).to(deadExchange());
        }

        @RabbitListener(queues = "check.spring.orders")
        void order(String order) {
            orders.add(order);
            if (order.equals("reject")) {
                throw new AmqpRejectAndDontRequeueException("not this one");
            }
        }

        @RabbitListener(queues = "check.spring.sums")
        @SendTo
        String sum(String numbers) {
            int sum = 0;
            for (String number : numbers.split(" ", -1)) {
                sum += Integer.parseInt(number);
            }
            return Integer.toString(sum);
        }
    }
}
