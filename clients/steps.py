"""What the Python client programs share: how they report their steps, and how they drop their connection."""

import contextlib
import os
import socket
import sys
import traceback

HOST = os.environ["BROKER_HOST"]
PORT = int(os.environ["BROKER_PORT"])
RELAY_HOST = "127.0.0.1"
RELAY_PORT = int(os.environ["RELAY_PORT"])
CONTROL_SECONDS = 20


def client(name):
    """Reports which client this is and its version."""
    print(f"client {name}", flush=True)


@contextlib.contextmanager
def step(name):
    """Reports a step as done, or ends the program with the reason why it is not."""
    try:
        yield
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        print(f"not ok {name}", flush=True)
        sys.exit(1)
    print(f"ok {name}", flush=True)


def equal(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


def contains(actual, part, what):
    if part not in actual:
        raise AssertionError(f"{what}: expected a text with {part!r}, got {actual!r}")


def raises(kind, action, what):
    """The exception of that kind that the action raises."""
    try:
        action()
    except kind as raised:
        return raised
    raise AssertionError(f"{what}: expected {kind.__name__}")


def drop_connections():
    """Has the relay cut all connections that go through it; there must be one."""
    with socket.create_connection((RELAY_HOST, int(os.environ["RELAY_CONTROL_PORT"])), CONTROL_SECONDS) as control:
        control.sendall(b"drop\n")
        with control.makefile("r") as answers:
            answer = answers.readline().strip()
    word, _, count = answer.partition(" ")
    if word != "dropped" or int(count) < 1:
        raise AssertionError(f"dropping the connections: the relay answered {answer!r}")
