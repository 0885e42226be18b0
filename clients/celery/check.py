"""Celery with a worker process: declares, calls tasks, rejects, gets results by RPC, and has the worker reconnect."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from steps import HOST, PORT, RELAY_HOST, RELAY_PORT, client, drop_connections, equal, step


def url(host, port):
    return f"amqp://guest:guest@{host}:{port}//"


os.environ["BROKER_URL"] = url(HOST, PORT)
import celery
import kombu
from celery.result import ResultSet

import app as check

NODE = "check@localhost"
TASKS = 50
QUIET_SECONDS = 30
START_SECONDS = 60
STOP_SECONDS = 30


class Worker:
    """A worker process, whose connections go through the relay."""

    def __init__(self):
        self._log = tempfile.TemporaryFile("w+")
        self._process = None

    def start(self):
        """Starts it and waits until it answers on its control queue, that is, until it consumes."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "app", "worker", "-n", NODE, "-c", "2", "-E", "-l", "INFO"],
            cwd=Path(__file__).resolve().parent,
            env={**os.environ, "BROKER_URL": url(RELAY_HOST, RELAY_PORT)},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self.await_answer()

    def await_answer(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if check.app.control.ping([NODE], timeout=1, limit=1):
                return
        raise AssertionError(f"the worker did not answer within {START_SECONDS} s")

    def stop(self):
        self._process.terminate()
        equal(self._process.wait(STOP_SECONDS), 0, "exit code of the worker")

    def kill(self):
        if self._process:
            self._process.kill()

    def log(self):
        self._log.seek(0)
        return self._log.read()


def delete_all(channel):
    for entity in (check.QUEUE, check.DEAD_QUEUE, check.QUEUE.exchange, check.DEAD_EXCHANGE):
        entity(channel).delete()


def declare(worker):
    with check.app.connection_for_write() as connection:
        delete_all(connection.default_channel)
        check.DEAD_QUEUE(connection.default_channel).declare()
        worker.start()
        # Equal to what the worker declared, or it is refused.
        declared = check.QUEUE(connection.default_channel).queue_declare()
        equal((declared.message_count, declared.consumer_count), (0, 1), "messages and consumers of the worker's queue")


def publish():
    """Sends the tasks; each call returns once the broker has confirmed."""
    return [check.add.apply_async((number, number), priority=number % 6) for number in range(TASKS)]


def consume(results):
    # Together: asked for one by one, Celery waits a second for each that has come already.
    together = ResultSet(results).get(timeout=QUIET_SECONDS)
    equal(together, [2 * number for number in range(TASKS)], "results")
    # An idle worker looks at its timers every ten seconds only.
    equal(check.fail_once.delay().get(timeout=2 * QUIET_SECONDS), 1, "retries of a task that is tried again later")


def dead_letter():
    check.refuse.delay()
    received = []
    with check.app.connection_for_read() as connection:
        with connection.Consumer(check.DEAD_QUEUE, on_message=received.append):
            while not received:
                connection.drain_events(timeout=QUIET_SECONDS)
        (message,) = received
        equal(message.headers["task"], "app.refuse", "the rejected task")
        death = message.headers["x-death"][0]
        equal(
            {key: death[key] for key in ("queue", "reason", "count", "exchange", "routing-keys")},
            {
                "queue": "check.celery",
                "reason": "rejected",
                "count": 1,
                "exchange": "check.celery",
                "routing-keys": ["check.task"],
            },
            "x-death",
        )
        message.ack()


def rpc():
    """Celery's own calls to its workers: a broadcast whose answers come to a reply queue."""
    answers = check.app.control.inspect([NODE], timeout=QUIET_SECONDS, limit=1).registered()
    equal(sorted(answers[NODE]), ["app.add", "app.fail_once", "app.refuse"], "registered tasks")
    group = celery.group(check.add.s(number, 1) for number in range(10))
    equal(group.apply_async().get(timeout=QUIET_SECONDS), list(range(1, 11)), "results of a group")


def reconnect(worker):
    drop_connections()
    # This process is connected directly; the task waits for the worker to come back.
    equal(check.add.delay(20, 22).get(timeout=START_SECONDS), 42, "a result after the drop")
    worker.await_answer()
    worker.stop()
    with check.app.connection_for_write() as connection:
        equal(check.QUEUE(connection.default_channel).queue_declare().message_count, 0, "tasks left")
        delete_all(connection.default_channel)


def main():
    client(f"celery {celery.__version__} (kombu {kombu.__version__})")
    worker = Worker()
    try:
        with step("declare"):
            declare(worker)
        with step("publish"):
            results = publish()
        with step("consume"):
            consume(results)
        with step("dead-letter"):
            dead_letter()
        with step("rpc"):
            rpc()
        with step("reconnect"):
            reconnect(worker)
    except BaseException:
        print(worker.log())
        raise
    finally:
        worker.kill()


if __name__ == "__main__":
    main()
