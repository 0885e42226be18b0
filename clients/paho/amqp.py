"""paho in MQTT 5 and pika: what one publishes, the other gets, with its properties."""

import os
import sys
from pathlib import Path

import paho.mqtt
import pika
from paho.mqtt import client as mqtt
from paho.mqtt.packettypes import PacketTypes

sys.path.append(str(Path(__file__).resolve().parent.parent))
from peer import QUIET_SECONDS, Peer, properties
from steps import HOST, client, equal, step


def to_mqtt(peer, channel):
    peer.subscribe(("check/paho/amqp/+", 1))
    said = pika.BasicProperties(content_type="text/plain", correlation_id="7", headers={"kind": "check"}, delivery_mode=2)
    channel.basic_publish("amq.topic", "check.paho.amqp.a", b"from pika", said, mandatory=True)
    message = peer.take()
    equal((message.topic, message.payload, message.qos), ("check/paho/amqp/a", b"from pika", 1), "the message")
    got = message.properties
    equal((got.ContentType, got.CorrelationData, got.UserProperty), ("text/plain", b"7", [("kind", "check")]), "properties")
    channel.basic_publish("amq.topic", "check.paho.amqp.b", b"transient")
    equal(peer.take().qos, 0, "QoS of a transient message")


def to_amqp(peer, channel):
    name = channel.queue_declare("", exclusive=True).method.queue
    channel.queue_bind(name, "amq.topic", "check.*.pika.#")
    said = properties(
        PacketTypes.PUBLISH, ContentType="text/plain", CorrelationData=b"8", UserProperty=[("kind", "check")]
    )
    peer.published("check/paho/pika/a/b", "from paho", properties=said)
    method, got, body = next(channel.consume(name, inactivity_timeout=QUIET_SECONDS))
    equal((method.exchange, method.routing_key, body), ("amq.topic", "check.paho.pika.a.b", b"from paho"), "the message")
    equal((got.content_type, got.correlation_id, got.delivery_mode), ("text/plain", "8", 2), "properties")
    equal(got.headers.get("kind"), "check", "a header")


def main():
    client(f"paho {paho.mqtt.__version__} (MQTT 5) with pika {pika.__version__}")
    peer = Peer(mqtt.MQTTv5)
    connection = pika.BlockingConnection(pika.ConnectionParameters(HOST, int(os.environ["AMQP_PORT"])))
    channel = connection.channel()
    channel.confirm_delivery()
    with step("to-mqtt"):
        to_mqtt(peer, channel)
    with step("to-amqp"):
        to_amqp(peer, channel)
    connection.close()
    peer.close()


if __name__ == "__main__":
    main()
