"""pika, blocking: declares, publishes, consumes, dead-letters, calls and reconnects."""

import sys
import time
from pathlib import Path

import pika
from pika import exceptions

sys.path.append(str(Path(__file__).resolve().parent.parent))
from steps import HOST, PORT, RELAY_HOST, RELAY_PORT, client, contains, drop_connections, equal, raises, step

QUEUE = "check.pika"
EXCHANGE = "check.pika.topic"
DEAD_EXCHANGE = "check.pika.dead"
DEAD_QUEUE = "check.pika.dead"
ARGUMENTS = {
    "x-message-ttl": 600_000,
    "x-max-length": 10_000,
    "x-dead-letter-exchange": DEAD_EXCHANGE,
    "x-dead-letter-routing-key": "was.rejected",
}
MESSAGES = 200
QUIET_SECONDS = 20
PERSISTENT = pika.BasicProperties(delivery_mode=2, content_type="text/plain", headers={"kind": "check"})


def connect(host=HOST, port=PORT):
    return pika.BlockingConnection(
        pika.ConnectionParameters(host, port, socket_timeout=QUIET_SECONDS, blocked_connection_timeout=QUIET_SECONDS)
    )


def receive(channel, queue):
    """The next delivery of a consumer that stays."""
    delivery = next(channel.consume(queue, inactivity_timeout=QUIET_SECONDS))
    if delivery[0] is None:
        raise AssertionError(f"nothing from {queue} within {QUIET_SECONDS} s")
    return delivery


def declare(connection):
    channel = connection.channel()
    for queue in (QUEUE, DEAD_QUEUE):
        channel.queue_delete(queue)
    for exchange in (EXCHANGE, DEAD_EXCHANGE):
        channel.exchange_delete(exchange)
    channel.exchange_declare(EXCHANGE, "topic", durable=True)
    channel.exchange_declare(DEAD_EXCHANGE, "fanout", durable=True)
    for _ in range(2):
        declared = channel.queue_declare(QUEUE, durable=True, arguments=ARGUMENTS).method
        equal((declared.queue, declared.message_count, declared.consumer_count), (QUEUE, 0, 0), "declare-ok")
    channel.queue_declare(DEAD_QUEUE, durable=True)
    channel.queue_bind(QUEUE, EXCHANGE, "check.#")
    channel.queue_bind(DEAD_QUEUE, DEAD_EXCHANGE)

    other = {**ARGUMENTS, "x-message-ttl": 1}
    closed = raises(
        exceptions.ChannelClosedByBroker,
        lambda: connection.channel().queue_declare(QUEUE, durable=True, arguments=other),
        "another x-message-ttl",
    )
    equal(closed.reply_code, 406, "reply code")
    equal(
        closed.reply_text,
        f"PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue '{QUEUE}' in vhost '/': "
        "received '1' but current is '600000'",
        "reply text",
    )
    absent = raises(
        exceptions.ChannelClosedByBroker,
        lambda: connection.channel().queue_declare("check.pika.absent", passive=True),
        "a passive declare of an absent queue",
    )
    equal((absent.reply_code, absent.reply_text), (404, "NOT_FOUND - no queue 'check.pika.absent' in vhost '/'"), "reply")
    channel.close()


def publish(connection):
    channel = connection.channel()
    channel.confirm_delivery()
    for number in range(MESSAGES):
        # Returns once the broker has confirmed; raises if it refuses or returns the message.
        channel.basic_publish(EXCHANGE, "check.publish", f"message {number}".encode(), PERSISTENT, mandatory=True)
    unroutable = raises(
        exceptions.UnroutableError,
        lambda: channel.basic_publish(EXCHANGE, "elsewhere", b"nobody", mandatory=True),
        "an unroutable message",
    )
    returned = unroutable.messages[0]
    equal((returned.method.reply_code, returned.method.reply_text, returned.body), (312, "NO_ROUTE", b"nobody"), "return")
    equal(channel.queue_declare(QUEUE, passive=True).method.message_count, MESSAGES, "messages in the queue")
    channel.close()


def consume(connection):
    channel = connection.channel()
    channel.basic_qos(prefetch_count=20)
    number = 0
    for method, properties, body in channel.consume(QUEUE, inactivity_timeout=QUIET_SECONDS):
        equal(body, f"message {number}".encode(), "body, in the order published")
        equal((method.routing_key, method.redelivered), ("check.publish", False), "delivery")
        equal((properties.delivery_mode, properties.headers), (2, {"kind": "check"}), "properties")
        number += 1
        if number % 10 == 0:
            channel.basic_ack(method.delivery_tag, multiple=True)
        if number == MESSAGES:
            break
    channel.cancel()
    equal(channel.basic_get(QUEUE), (None, None, None), "get from the emptied queue")
    channel.close()


def dead_letter(connection):
    channel = connection.channel()
    channel.confirm_delivery()
    channel.basic_publish(EXCHANGE, "check.reject", b"reject me", PERSISTENT)
    method, _, _ = channel.basic_get(QUEUE)
    channel.basic_reject(method.delivery_tag, requeue=True)
    method, _, body = channel.basic_get(QUEUE)
    equal((method.redelivered, body), (True, b"reject me"), "after a reject with requeue")
    channel.basic_reject(method.delivery_tag, requeue=False)

    method, properties, body = receive(channel, DEAD_QUEUE)
    equal(body, b"reject me", "dead letter")
    equal((method.exchange, method.routing_key), (DEAD_EXCHANGE, "was.rejected"), "where it was dead-lettered to")
    death = properties.headers["x-death"][0]
    equal(
        {key: death[key] for key in ("queue", "reason", "count", "exchange", "routing-keys")},
        {"queue": QUEUE, "reason": "rejected", "count": 1, "exchange": EXCHANGE, "routing-keys": ["check.reject"]},
        "x-death",
    )
    equal(properties.headers["x-first-death-queue"], QUEUE, "x-first-death-queue")
    equal(properties.headers["kind"], "check", "a header of the publisher")
    channel.basic_ack(method.delivery_tag)

    channel.basic_publish(EXCHANGE, "check.expire", b"too late", pika.BasicProperties(delivery_mode=2, expiration="1"))
    method, properties, body = receive(channel, DEAD_QUEUE)
    death = properties.headers["x-death"][0]
    equal((body, death["reason"], death["original-expiration"]), (b"too late", "expired", "1"), "an expired message")
    equal(properties.expiration, None, "expiration of a dead letter")
    channel.basic_ack(method.delivery_tag)
    channel.cancel()
    channel.close()


def rpc(connection):
    server_connection = connect()
    server = server_connection.channel()
    requests = server.queue_declare("", exclusive=True).method.queue
    contains(requests, "amq.gen-", "a name given by the server")

    caller = connection.channel()
    answers = []
    caller.basic_consume("amq.rabbitmq.reply-to", lambda *delivery: answers.append(delivery), auto_ack=True)
    properties = pika.BasicProperties(reply_to="amq.rabbitmq.reply-to", correlation_id="call 1")
    caller.basic_publish("", requests, b"20 22", properties)

    method, properties, body = receive(server, requests)
    contains(properties.reply_to, "amq.rabbitmq.reply-to.", "reply-to as the server sees it")
    answer = str(sum(map(int, body.split()))).encode()
    server.basic_publish(
        "", properties.reply_to, answer, pika.BasicProperties(correlation_id=properties.correlation_id), mandatory=True
    )
    server.basic_ack(method.delivery_tag)
    deadline = time.monotonic() + QUIET_SECONDS
    while not answers and time.monotonic() < deadline:
        connection.process_data_events(time_limit=1)
    equal([(properties.correlation_id, body) for _, _, properties, body in answers], [("call 1", b"42")], "answers")
    server_connection.close()
    caller.close()


def reconnect():
    connection = connect(RELAY_HOST, RELAY_PORT)
    channel = connection.channel()
    channel.confirm_delivery()
    channel.basic_publish("", QUEUE, b"survives", PERSISTENT)
    method, _, body = receive(channel, QUEUE)
    equal((body, method.redelivered), (b"survives", False), "before the drop")
    drop_connections()
    raises(exceptions.AMQPConnectionError, lambda: receive(channel, QUEUE), "a delivery on the dropped connection")

    connection = connect(RELAY_HOST, RELAY_PORT)
    channel = connection.channel()
    method, _, body = receive(channel, QUEUE)
    equal((body, method.redelivered), (b"survives", True), "what was not acknowledged, after the reconnect")
    channel.basic_ack(method.delivery_tag)
    channel.cancel()
    for queue in (QUEUE, DEAD_QUEUE):
        channel.queue_delete(queue)
    for exchange in (EXCHANGE, DEAD_EXCHANGE):
        channel.exchange_delete(exchange)
    connection.close()


def main():
    client(f"pika {pika.__version__}")
    connection = connect()
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
    connection.close()


if __name__ == "__main__":
    main()
