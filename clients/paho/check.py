"""paho: logs in, publishes, retains, subscribes with wildcards and shared, keeps sessions, leaves wills, reconnects.

Its arguments are the protocol's version, 3.1.1 or 5, and ws for WebSocket. In MQTT 5 it also calls over a response topic
and uses properties.
"""

import queue
import sys
from pathlib import Path

import paho.mqtt
from paho.mqtt import client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.subscribeoptions import SubscribeOptions

sys.path.append(str(Path(__file__).resolve().parent.parent))
from peer import QUIET_SECONDS, Peer, Refused, properties, wait
from steps import RELAY_HOST, RELAY_PORT, client, drop_connections, equal, raises, step

VERSION = sys.argv[1]
PROTOCOL = {"3.1.1": mqtt.MQTTv311, "5": mqtt.MQTTv5}[VERSION]
WS = sys.argv[2:] == ["ws"]
ROOT = f"check/paho/{VERSION}{'/ws' if WS else ''}"
MESSAGES = 100
KEPT_SECONDS = 600


def connect(name="", **options):
    return Peer(PROTOCOL, name and f"{ROOT} {name}".replace("/", " "), ws=WS, **options)


def relayed(name, **options):
    return connect(name, host=RELAY_HOST, port=RELAY_PORT, **options)


def numbered(kind):
    return [f"{kind} {number}".encode() for number in range(MESSAGES)]


def quiet(peer, topic):
    """Checks that nothing has come to a peer before what is now published to a topic that it gets."""
    peer.published(f"{ROOT}/{topic}", "marker")
    equal(peer.take().payload, b"marker", "the next message")


def login():
    connect().close()
    connect(user=None).close()
    refused = raises(Refused, lambda: connect(user=("guest", "wrong")), "a wrong password")
    # Bad user name or password, or not authorised.
    if refused.args[0] not in ((134, 135) if PROTOCOL == mqtt.MQTTv5 else (4, 5)):
        raise AssertionError(f"a wrong password was refused with {refused}")
    connect("one").close()


def publish():
    subscriber, publisher = connect(), connect()
    equal(subscriber.subscribe((f"{ROOT}/publish/+", 2)), [2], "granted")
    lower = connect()
    equal(lower.subscribe((f"{ROOT}/publish/2", 1)), [1], "granted")
    sent = [publisher.publish(f"{ROOT}/publish/{qos}", payload, qos) for qos in (0, 1, 2) for payload in numbered(qos)]
    for info in sent:
        wait(info)
    received = {0: [], 1: [], 2: []}
    for _ in range(3 * MESSAGES):
        message = subscriber.take()
        equal((message.topic, message.retain, message.dup), (f"{ROOT}/publish/{message.qos}", 0, 0), "a message")
        received[message.qos].append(message.payload)
    equal(received, {qos: numbered(qos) for qos in (0, 1, 2)}, "the messages, in the order published")
    equal([lower.take().qos for _ in range(MESSAGES)], [1] * MESSAGES, "QoS below the publisher's")
    large = bytes(range(256)) * 8_000
    publisher.published(f"{ROOT}/publish/large", large, 2)
    equal(subscriber.take().payload, large, "a large message")
    subscriber.unsubscribe(f"{ROOT}/publish/+")
    subscriber.subscribe((f"{ROOT}/other", 1))
    publisher.published(f"{ROOT}/publish/0", "nobody's")
    quiet(subscriber, "other")
    for peer in (subscriber, publisher, lower):
        peer.close()


def retain():
    publisher, live = connect(), connect()
    live.subscribe((f"{ROOT}/retain/#", 1))
    publisher.published(f"{ROOT}/retain/a", "first", retain=True)
    publisher.published(f"{ROOT}/retain/a", "latest", retain=True)
    equal([(live.take().retain) for _ in range(2)], [0, 0], "retain towards who was subscribed")
    late = connect()
    late.subscribe((f"{ROOT}/retain/+", 1))
    message = late.take()
    equal((message.payload, message.retain, message.qos), (b"latest", 1, 1), "the retained message")
    publisher.published(f"{ROOT}/retain/a", "", retain=True)
    equal(live.take().payload, b"", "the message that clears")
    later = connect()
    later.subscribe((f"{ROOT}/retain/#", 1))
    quiet(later, "retain/b")
    for peer in (publisher, live, late, later):
        peer.close()


def wildcard():
    subscriber, publisher = connect(), connect()
    filters = ((f"{ROOT}/wild/+/heat", 1), (f"{ROOT}/wild/deep/#", 1), (f"{ROOT}/wild//end", 1))
    equal(subscriber.subscribe(*filters), [1, 1, 1], "granted")
    matching = ("wild/a/heat", "wild/deep", "wild/deep/b", "wild/deep/b/c.d e", "wild//end", "wild//heat", "wild/é/heat")
    for topic in ("wild/heat", "wild/a/b/heat", "wild/a/Heat", "wild/deeper", *matching):
        publisher.published(f"{ROOT}/{topic}", topic)
    equal([subscriber.take().topic for _ in matching], [f"{ROOT}/{topic}" for topic in matching], "topics")
    quiet(subscriber, "wild/deep")
    everything = connect()
    everything.subscribe(("#", 1))
    publisher.published(f"{ROOT}/wild/all", "all")
    while everything.take().topic != f"{ROOT}/wild/all":
        pass
    for peer in (subscriber, publisher, everything):
        peer.close()


def session():
    connect("kept").close()
    kept = connect("kept", session=KEPT_SECONDS, clean=False)
    equal(kept.session_present, False, "session present at first")
    kept.subscribe((f"{ROOT}/session/#", 2))
    kept.close()
    publisher = connect()
    for payload in numbered(1):
        publisher.publish(f"{ROOT}/session/1", payload, 1)
    publisher.published(f"{ROOT}/session/2", "last", 2)
    back = connect("kept", session=KEPT_SECONDS, clean=False)
    equal(back.session_present, True, "session present")
    equal([back.take().payload for _ in range(MESSAGES)], numbered(1), "what came meanwhile")
    equal(back.take().payload, b"last", "the last")
    # Another one of the same name takes the session over.
    taker = connect("kept", session=KEPT_SECONDS, clean=False)
    back.disconnected()
    back.client.loop_stop()
    equal(taker.session_present, True, "session present for who takes over")
    taker.close()
    connect("kept").close()
    fresh = connect("kept", session=KEPT_SECONDS, clean=False)
    equal(fresh.session_present, False, "session present after a clean start")
    fresh.close()
    connect("kept").close()
    publisher.close()


def will():
    watcher = connect()
    watcher.subscribe((f"{ROOT}/will/#", 1))
    orderly = connect(will={"topic": f"{ROOT}/will/orderly", "payload": "nobody's", "qos": 1})
    orderly.close()
    lost = relayed("lost", will={"topic": f"{ROOT}/will/lost", "payload": "gone", "qos": 1, "retain": True})
    drop_connections()
    lost.client.loop_stop()
    message = watcher.take()
    equal((message.topic, message.payload, message.qos), (f"{ROOT}/will/lost", b"gone", 1), "the will")
    late = connect()
    late.subscribe((f"{ROOT}/will/lost", 1))
    message = late.take()
    equal((message.payload, message.retain), (b"gone", 1), "the retained will")
    late.published(f"{ROOT}/will/lost", "", retain=True)
    for peer in (watcher, late):
        peer.close()


def shared():
    members = [connect(), connect()]
    witness, publisher = connect(), connect()
    taken = queue.Queue()
    for member in members:
        member.client.on_message = lambda _client, _data, message: taken.put(message.payload)
        equal(member.subscribe((f"$share/workers/{ROOT}/shared/#", 1)), [1], "granted")
    witness.subscribe((f"{ROOT}/shared/#", 1))
    for payload in numbered("job"):
        publisher.published(f"{ROOT}/shared/jobs", payload)
    equal([witness.take().payload for _ in range(MESSAGES)], numbered("job"), "what everyone gets")
    group = [taken.get(timeout=QUIET_SECONDS) for _ in range(MESSAGES)]
    equal(sorted(group), sorted(numbered("job")), "what the group got, each message once")
    # The other one gets what comes when one has left.
    members[0].unsubscribe(f"$share/workers/{ROOT}/shared/#")
    publisher.published(f"{ROOT}/shared/jobs", "for who is left")
    equal(taken.get(timeout=QUIET_SECONDS), b"for who is left", "the next job")
    for peer in (*members, witness, publisher):
        peer.close()


def reconnect():
    connect("back").close()
    peer = relayed("back", session=KEPT_SECONDS, clean=False)
    peer.subscribe((f"{ROOT}/reconnect/#", 2))
    publisher, watcher = connect(), connect()
    watcher.subscribe((f"{ROOT}/from-back", 2))
    publisher.published(f"{ROOT}/reconnect/a", "before", 2)
    equal(peer.take().payload, b"before", "the message before the drop")
    drop_connections()
    peer.disconnected()
    publisher.published(f"{ROOT}/reconnect/a", "meanwhile", 2)
    peer.publish(f"{ROOT}/from-back", "kept by the client", 2)
    equal(peer.connected(), True, "session present after the reconnect")
    equal(peer.take().payload, b"meanwhile", "the message sent while it was away")
    equal(watcher.take().payload, b"kept by the client", "the message that it kept")
    peer.close()
    connect("back").close()
    for other in (publisher, watcher):
        other.close()


def request():
    server, caller = connect(), connect()
    server.subscribe((f"{ROOT}/sum", 1))
    caller.subscribe((f"{ROOT}/answers/caller", 1))
    asked = properties(PacketTypes.PUBLISH, ResponseTopic=f"{ROOT}/answers/caller", CorrelationData=b"\x00call 1")
    caller.published(f"{ROOT}/sum", "20 22", properties=asked)
    question = server.take()
    server.published(
        question.properties.ResponseTopic,
        str(sum(map(int, question.payload.split()))),
        properties=properties(PacketTypes.PUBLISH, CorrelationData=question.properties.CorrelationData),
    )
    answer = caller.take()
    equal((answer.properties.CorrelationData, answer.payload), (b"\x00call 1", b"42"), "the answer")
    server.close()
    caller.close()


def with_properties():
    subscriber, publisher = connect(), connect()
    subscriber.subscribe(
        (f"{ROOT}/properties/#", SubscribeOptions(qos=1)),
        properties=properties(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=7),
    )
    pairs = [("kind", "check"), ("kind", "twice"), ("größe", "1")]
    said = properties(
        PacketTypes.PUBLISH,
        ContentType="text/plain",
        PayloadFormatIndicator=1,
        MessageExpiryInterval=KEPT_SECONDS,
        UserProperty=pairs,
    )
    publisher.published(f"{ROOT}/properties/a", "grün", properties=said)
    got = subscriber.take().properties
    equal((got.ContentType, got.PayloadFormatIndicator, got.UserProperty), ("text/plain", 1, pairs), "properties")
    equal(got.SubscriptionIdentifier, [7], "subscription identifier")
    if not KEPT_SECONDS - 60 <= got.MessageExpiryInterval <= KEPT_SECONDS:
        raise AssertionError(f"message expiry interval: got {got.MessageExpiryInterval}")
    for topic in (f"{ROOT}/properties/b", ""):
        publisher.published(topic, "by alias", properties=properties(PacketTypes.PUBLISH, TopicAlias=1))
        equal(subscriber.take().topic, f"{ROOT}/properties/b", "the topic of an alias")

    # Subscription options: not what it published itself, and no retained message.
    publisher.published(f"{ROOT}/options", "retained", retain=True)
    options = SubscribeOptions(qos=1, noLocal=True, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
    own = connect()
    own.subscribe((f"{ROOT}/options", options))
    own.published(f"{ROOT}/options", "its own")
    publisher.published(f"{ROOT}/options", "another's")
    equal(own.take().payload, b"another's", "with no local and no retained messages")
    publisher.published(f"{ROOT}/options", "", retain=True)
    for peer in (subscriber, publisher, own):
        peer.close()


def main():
    client(f"paho {paho.mqtt.__version__} (MQTT {VERSION}{' over WebSocket' if WS else ''})")
    for name, action in (
        ("login", login),
        ("publish", publish),
        ("retain", retain),
        ("wildcard", wildcard),
        ("session", session),
        ("will", will),
        ("shared", shared),
        ("reconnect", reconnect),
    ):
        with step(name):
            action()
    if PROTOCOL == mqtt.MQTTv5:
        with step("request"):
            request()
        with step("properties"):
            with_properties()


if __name__ == "__main__":
    main()
