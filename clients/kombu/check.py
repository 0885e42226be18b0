"""kombu over py-amqp: declares, publishes, consumes, dead-letters, calls and reconnects."""

import sys
from pathlib import Path

import amqp
import kombu
from amqp import exceptions
from kombu.mixins import ConsumerMixin

sys.path.append(str(Path(__file__).resolve().parent.parent))
from steps import HOST, PORT, RELAY_HOST, RELAY_PORT, client, contains, drop_connections, equal, raises, step

EXCHANGE = kombu.Exchange("check.kombu.direct", "direct", durable=True)
DEAD_EXCHANGE = kombu.Exchange("check.kombu.dead", "topic", durable=True)
QUEUE = kombu.Queue(
    "check.kombu",
    EXCHANGE,
    routing_key="check",
    durable=True,
    message_ttl=600,
    max_length=10_000,
    max_priority=5,
    queue_arguments={"x-dead-letter-exchange": "check.kombu.dead"},
)
DEAD_QUEUE = kombu.Queue("check.kombu.dead", DEAD_EXCHANGE, routing_key="#", durable=True)
REPLIES = kombu.Queue("amq.rabbitmq.reply-to", no_declare=True)
MESSAGES = 100
QUIET_SECONDS = 20


def connect(host=HOST, port=PORT):
    return kombu.Connection(
        f"amqp://guest:guest@{host}:{port}//",
        transport_options={"confirm_publish": True, "read_timeout": QUIET_SECONDS, "write_timeout": QUIET_SECONDS},
    )


def receive(connection, source, count=1, **options):
    """As many messages from the queue; the caller acknowledges them."""
    received = []
    with connection.Consumer(source, on_message=received.append, **options):
        while len(received) < count:
            connection.drain_events(timeout=QUIET_SECONDS)
    equal(len(received), count, f"messages from {source.name}")
    return received


def declare(connection):
    channel = connection.channel()
    for entity in (QUEUE, DEAD_QUEUE, EXCHANGE, DEAD_EXCHANGE):
        entity(channel).delete()
    for _ in range(2):
        for queue in (QUEUE, DEAD_QUEUE):
            queue(channel).declare()
    differs = kombu.Queue("check.kombu", durable=False, channel=channel)
    refused = raises(exceptions.PreconditionFailed, differs.queue_declare, "a declare that is not durable")
    equal(
        refused.reply_text,
        "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'check.kombu' in vhost '/': "
        "received 'false' but current is 'true'",
        "reply text",
    )
    absent = kombu.Queue("check.kombu.absent", channel=connection.channel())
    raises(exceptions.NotFound, lambda: absent.queue_declare(passive=True), "a passive declare of an absent queue")


def publish(connection):
    returned = []
    with connection.channel() as channel:
        producer = kombu.Producer(
            channel, EXCHANGE, routing_key="check", on_return=lambda *what: returned.append(what[:3])
        )
        for number in range(MESSAGES):
            # Returns once the broker has confirmed.
            producer.publish({"number": number}, headers={"kind": "check"}, mandatory=True, timeout=QUIET_SECONDS)
        equal(returned, [], "returned messages")
        producer.publish({"number": -1}, routing_key="elsewhere", mandatory=True, timeout=QUIET_SECONDS)
        error, exchange, key = returned[0]
        equal((error.reply_code, error.reply_text, exchange, key), (312, "NO_ROUTE", EXCHANGE.name, "elsewhere"), "return")
        equal(QUEUE(channel).queue_declare(passive=True).message_count, MESSAGES, "messages in the queue")


def consume(connection):
    messages = receive(connection, QUEUE, MESSAGES, prefetch_count=MESSAGES)
    equal([message.payload["number"] for message in messages], list(range(MESSAGES)), "numbers, in the order published")
    equal({message.headers["kind"] for message in messages}, {"check"}, "headers")
    equal({message.properties["delivery_mode"] for message in messages}, {2}, "delivery modes")
    messages[49].ack(multiple=True)
    for message in messages[50:]:
        message.ack()
    equal(QUEUE(connection.default_channel).get(), None, "get from the emptied queue")


def dead_letter(connection):
    producer = connection.Producer(exchange=EXCHANGE, routing_key="check")
    producer.publish("reject me", priority=3, timeout=QUIET_SECONDS)
    (message,) = receive(connection, QUEUE)
    message.requeue()
    (message,) = receive(connection, QUEUE)
    equal((message.payload, message.delivery_info["redelivered"]), ("reject me", True), "after a requeue")
    equal(message.properties["priority"], 3, "priority")
    message.reject()
    (message,) = receive(connection, DEAD_QUEUE)
    equal(message.payload, "reject me", "dead letter")
    death = message.headers["x-death"][0]
    equal(
        {key: death[key] for key in ("queue", "reason", "count", "exchange", "routing-keys")},
        {
            "queue": "check.kombu",
            "reason": "rejected",
            "count": 1,
            "exchange": "check.kombu.direct",
            "routing-keys": ["check"],
        },
        "x-death",
    )
    message.ack()


def rpc(connection):
    with connect() as server, connection.channel() as channel:
        name = kombu.Queue("", exclusive=True, channel=server.default_channel).queue_declare().queue
        # A consumer declares its queue, and a name that the broker gave must not be asked for.
        requests = kombu.Queue(name, exclusive=True, no_declare=True)
        answers = []
        with kombu.Consumer(channel, REPLIES, on_message=answers.append, no_ack=True):
            caller = kombu.Producer(channel)
            caller.publish(
                [20, 22], name, reply_to="amq.rabbitmq.reply-to", correlation_id="call 1", timeout=QUIET_SECONDS
            )
            (request,) = receive(server, requests)
            contains(request.properties["reply_to"], "amq.rabbitmq.reply-to.", "reply-to as the server sees it")
            server.Producer().publish(
                sum(request.payload),
                routing_key=request.properties["reply_to"],
                correlation_id=request.properties["correlation_id"],
                timeout=QUIET_SECONDS,
            )
            request.ack()
            while not answers:
                connection.drain_events(timeout=QUIET_SECONDS)
        equal([(answer.properties["correlation_id"], answer.payload) for answer in answers], [("call 1", 42)], "answers")


class Worker(ConsumerMixin):
    """Loses its connection with the first delivery unacknowledged, and has kombu bring it back."""

    def __init__(self, connection):
        self.connection = connection
        self.received = []

    def get_consumers(self, Consumer, channel):
        return [Consumer(QUEUE, on_message=self.on_message, prefetch_count=1)]

    def on_connection_error(self, exc, interval):
        raise exc

    def on_message(self, message):
        self.received.append((message.payload, message.delivery_info["redelivered"]))
        if len(self.received) == 1:
            drop_connections()
        else:
            message.ack()
            self.should_stop = True


def reconnect():
    with connect(RELAY_HOST, RELAY_PORT) as connection:
        producer = connection.Producer(exchange=EXCHANGE, routing_key="check")
        producer.publish("before", timeout=QUIET_SECONDS)
        worker = Worker(connection)
        worker.run(timeout=QUIET_SECONDS)
        equal(worker.received, [("before", False), ("before", True)], "deliveries around the drop")
        # The producer's own connection was dropped too: the publish is told and brings it back.
        producer.publish("after", retry=True, retry_policy={"max_retries": 3, "interval_start": 0}, timeout=QUIET_SECONDS)
        (message,) = receive(connection, QUEUE)
        equal(message.payload, "after", "what was published over the connection that came back")
        message.ack()
        for entity in (QUEUE, DEAD_QUEUE, EXCHANGE, DEAD_EXCHANGE):
            entity(connection.default_channel).delete()


def main():
    client(f"kombu {kombu.__version__} (py-amqp {amqp.__version__})")
    with connect() as connection:
        with step("declare"):
            declare(connection)
        with step("publish"):
            publish(connection)
        with step("consume"):
            consume(connection)
        with step("dead-letter"):
            dead_letter(connection)
        with step("rpc"):
            rpc(connection)
    with step("reconnect"):
        reconnect()


if __name__ == "__main__":
    main()
