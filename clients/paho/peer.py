"""One client of paho with what has come to it."""

import queue

from paho.mqtt import client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from steps import HOST, PORT

QUIET_SECONDS = 20
WS_PATH = "/ws"
USER = ("guest", "guest")


class Refused(Exception):
    """The broker did not let a client in. The only argument is the code that it gave."""


class Peer:
    """A connected client. Used by the program's thread; paho reads and reconnects on a thread of its own.

    protocol: MQTTv311 or MQTTv5 of paho
    session: seconds that its session outlives it, in MQTT 3.1.1 more than 0 for without end
    clean: whether it does away with a session that was there; in MQTT 3.1.1, whether its own ends with it
    """

    def __init__(
        self, protocol, name="", *, ws=False, port=PORT, host=HOST, user=USER, session=0, clean=True, will=None
    ):
        self.protocol = protocol
        self._received = queue.Queue()
        self._connected = queue.Queue()
        self._disconnected = queue.Queue()
        self._subscribed = queue.Queue()
        self._unsubscribed = queue.Queue()
        options = {} if protocol == mqtt.MQTTv5 else {"clean_session": clean}
        self.client = mqtt.Client(name, protocol=protocol, transport="websockets" if ws else "tcp", **options)
        if ws:
            self.client.ws_set_options(path=WS_PATH)
        if user:
            self.client.username_pw_set(*user)
        if will:
            self.client.will_set(**will)
        self.client.reconnect_delay_set(min_delay=0.05, max_delay=1)
        self.client.on_connect = lambda _client, _data, flags, code, *_: self._connected.put(
            (flags, getattr(code, "value", code))
        )
        self.client.on_disconnect = lambda *_: self._disconnected.put(None)
        self.client.on_message = lambda _client, _data, message: self._received.put(message)
        self.client.on_unsubscribe = lambda *_: self._unsubscribed.put(None)
        self.client.on_subscribe = lambda _client, _data, _id, granted, *_: self._subscribed.put(granted)
        if protocol == mqtt.MQTTv5:
            self.client.connect(
                host,
                port,
                clean_start=clean,
                properties=properties(PacketTypes.CONNECT, SessionExpiryInterval=session),
            )
        else:
            self.client.connect(host, port)
        self.client.loop_start()
        try:
            self.session_present = self.connected()
        except Refused:
            self.client.loop_stop()
            raise

    def connected(self):
        """Waits for the next CONNACK: whether there was a session."""
        flags, code = self._connected.get(timeout=QUIET_SECONDS)
        if code:
            raise Refused(code)
        return bool(flags["session present"])

    def disconnected(self):
        """Waits until paho knows that its connection is lost."""
        self._disconnected.get(timeout=QUIET_SECONDS)

    def subscribe(self, *topics, **options):
        """Subscribes to pairs of a filter and a QoS, or of a filter and options: what was granted."""
        self.client.subscribe(list(topics), **options)
        granted = self._subscribed.get(timeout=QUIET_SECONDS)
        return [getattr(one, "value", one) for one in granted]

    def unsubscribe(self, topic_filter):
        self.client.unsubscribe(topic_filter)
        self._unsubscribed.get(timeout=QUIET_SECONDS)

    def publish(self, topic, payload, qos=1, **options):
        """Publishes. What it returns can be waited for."""
        return self.client.publish(topic, payload, qos, **options)

    def published(self, topic, payload, qos=1, **options):
        """Publishes and returns once the broker has acknowledged."""
        wait(self.publish(topic, payload, qos, **options))

    def take(self):
        """The next message."""
        return self._received.get(timeout=QUIET_SECONDS)

    def close(self):
        """Disconnects in order."""
        self.client.disconnect()
        self.client.loop_stop()


def wait(info):
    info.wait_for_publish(QUIET_SECONDS)
    if not info.is_published():
        raise TimeoutError(f"no acknowledgement within {QUIET_SECONDS} s")


def properties(packet_type, **values):
    """The properties of MQTT 5 of a packet."""
    made = Properties(packet_type)
    for name, value in values.items():
        setattr(made, name, value)
    return made
