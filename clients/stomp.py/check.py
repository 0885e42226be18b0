"""stomp.py: sends with receipts, consumes, commits and aborts, dead-letters, calls and reconnects."""

import queue
import sys
from pathlib import Path

import stomp

sys.path.append(str(Path(__file__).resolve().parent.parent))
from steps import HOST, PORT, RELAY_HOST, RELAY_PORT, client, contains, drop_connections, equal, step

QUEUE = "/queue/check.stomp.py"
DEAD_QUEUE = "/queue/check.stomp.py.dead"
CALLS = "/queue/check.stomp.py.calls"
ARGUMENTS = {
    "x-message-ttl": "600000",
    "x-max-length": "10000",
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": "check.stomp.py.dead",
}
MESSAGES = 200
QUIET_SECONDS = 20


class Listener(stomp.ConnectionListener):
    """What has come, in queues that others take from."""

    def __init__(self):
        self.messages = queue.Queue()
        self.receipts = queue.Queue()
        self.errors = queue.Queue()
        self.ends = queue.Queue()

    def on_message(self, frame):
        self.messages.put(frame)

    def on_receipt(self, frame):
        self.receipts.put(frame.headers["receipt-id"])

    def on_error(self, frame):
        self.errors.put(frame)

    def on_disconnected(self):
        self.ends.put(True)


class Session:
    """A connection and what it hears."""

    def __init__(self, host=HOST, port=PORT):
        self.listener = Listener()
        self.connection = stomp.Connection12([(host, port)], vhost="/", heartbeats=(5000, 5000), reconnect_attempts_max=1)
        self.connection.set_listener("", self.listener)
        self.connection.connect("guest", "guest", wait=True)

    def receipt(self, expected):
        equal(take(self.listener.receipts, f"receipt {expected}"), expected, "receipt")

    def message(self, what):
        return take(self.listener.messages, what)

    def nothing(self):
        """Nothing has come that was not expected: a receipt that is asked for now comes next."""
        self.connection.send("/topic/check.nobody", "", receipt="nothing")
        self.receipt("nothing")
        equal(self.listener.messages.qsize(), 0, "messages")
        equal(self.listener.errors.qsize(), 0, "errors")

    def close(self):
        self.connection.disconnect(receipt="goodbye")
        take(self.listener.ends, "the end")


def take(source, what):
    try:
        return source.get(timeout=QUIET_SECONDS)
    except queue.Empty:
        raise AssertionError(f"{what}: nothing within {QUIET_SECONDS} s") from None


def send(session):
    for number in range(MESSAGES):
        session.connection.send(
            QUEUE,
            f"message {number}",
            content_type="text/plain",
            headers={"persistent": "true", "number": str(number), "odd": "a:b\nc", **ARGUMENTS},
            receipt=f"sent-{number}",
        )
    receipts = {take(session.listener.receipts, "receipts") for _ in range(MESSAGES)}
    equal(receipts, {f"sent-{number}" for number in range(MESSAGES)}, "receipts")


def consume(session):
    session.connection.subscribe(QUEUE, "1", ack="client-individual", headers={"prefetch-count": "10", **ARGUMENTS})
    for number in range(MESSAGES):
        message = session.message("deliveries")
        equal(message.body, f"message {number}", "body")
        equal(message.headers["destination"], QUEUE, "destination")
        equal(message.headers["number"], str(number), "a header")
        equal(message.headers["odd"], "a:b\nc", "a header with escapes")
        equal(message.headers["persistent"], "true", "persistent")
        session.connection.ack(message.headers["ack"])
    session.nothing()


def transaction(session):
    for end in (session.connection.abort, session.connection.commit):
        name = session.connection.begin()
        session.connection.send(QUEUE, f"by {end.__name__}", transaction=name)
        session.nothing()
        end(name)
    message = session.message("what was committed")
    equal(message.body, "by commit", "body")
    session.connection.ack(message.headers["ack"])
    session.nothing()


def dead_letter(session):
    session.connection.subscribe(DEAD_QUEUE, "dead", ack="auto")
    session.connection.send(QUEUE, "unwanted")
    message = session.message("the message")
    session.connection.nack(message.headers["ack"], requeue="false")
    dead = session.message("the dead letter")
    equal(dead.headers["subscription"], "dead", "subscription")
    equal(dead.headers["x-first-death-queue"], "check.stomp.py", "x-first-death-queue")
    equal(dead.headers["x-first-death-reason"], "rejected", "x-first-death-reason")


def rpc(session):
    server = Session()
    server.connection.subscribe(CALLS, "calls", ack="auto")
    session.connection.send(CALLS, "20 22", headers={"reply-to": "/temp-queue/answers", "correlation-id": "c1"})
    call = server.message("the call")
    total = sum(int(word) for word in call.body.split())
    server.connection.send(
        call.headers["reply-to"], str(total), headers={"correlation-id": call.headers["correlation-id"]}
    )
    answer = session.message("the answer")
    equal((answer.body, answer.headers["correlation-id"]), ("42", "c1"), "answer")
    equal(answer.headers["subscription"], "/temp-queue/answers", "subscription")
    server.close()


def reconnect():
    session = Session(RELAY_HOST, RELAY_PORT)
    session.connection.subscribe(QUEUE, "1", ack="client", headers=ARGUMENTS)
    session.connection.send(QUEUE, "kept", headers={"persistent": "true"}, receipt="kept")
    session.receipt("kept")
    equal(session.message("the message").headers["redelivered"], "false", "redelivered")
    drop_connections()
    take(session.listener.ends, "the end of the connection")

    session = Session(RELAY_HOST, RELAY_PORT)
    session.connection.subscribe(QUEUE, "1", ack="client", headers=ARGUMENTS)
    again = session.message("the message again")
    equal((again.body, again.headers["redelivered"]), ("kept", "true"), "redelivery")
    session.connection.ack(again.headers["ack"])
    session.nothing()
    session.connection.subscribe("/queue/a/b", "2")
    contains(take(session.listener.errors, "the error").headers["message"], "Invalid destination", "an error")
    session.close()


def main():
    client("stomp.py " + ".".join(str(part) for part in stomp.__version__))
    session = Session()
    with step("send"):
        send(session)
    with step("consume"):
        consume(session)
    with step("transaction"):
        transaction(session)
    with step("dead-letter"):
        dead_letter(session)
    with step("rpc"):
        rpc(session)
    session.close()
    with step("reconnect"):
        reconnect()


if __name__ == "__main__":
    main()
