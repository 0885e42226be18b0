// What MQTT.js is checked with, in Node.js and in a browser alike.

'use strict';

(function (exports) {
  const QUIET_MILLIS = 20_000;
  const MESSAGES = 100;
  const KEPT_SECONDS = 600;
  const NAMES = ['login', 'publish', 'retain', 'wildcard', 'session', 'will', 'shared', 'reconnect'];

  function within(promise, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what}: nothing within ${QUIET_MILLIS} ms`)), QUIET_MILLIS);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  function equal(actual, expected, what) {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) throw new Error(`${what}: expected ${should}, got ${is}`);
  }

  function numbered(kind) {
    return Array.from({length: MESSAGES}, (_, number) => `${kind} ${number}`);
  }

  /** A connected client with the messages that have come to it. */
  class Peer {
    #come = [];
    #waiting = [];

    constructor(client) {
      this.client = client;
      client.on('message', (topic, payload, packet) => {
        this.put({topic, payload, text: payload.toString(), qos: packet.qos, retain: packet.retain, properties: packet.properties});
      });
      // What it loses on purpose is reported as an error too; what is lost otherwise is missed by who waits.
      client.on('error', () => {});
    }

    put(message) {
      const waiting = this.#waiting.shift();
      if (waiting) waiting(message);
      else this.#come.push(message);
    }

    take() {
      if (this.#come.length > 0) return Promise.resolve(this.#come.shift());
      return within(new Promise((resolve) => this.#waiting.push(resolve)), 'a message');
    }

    async texts(count) {
      const texts = [];
      while (texts.length < count) texts.push((await this.take()).text);
      return texts;
    }

    /** The reason codes that a subscription is granted with. */
    async subscribe(filter, options = {qos: 1}) {
      const granted = await within(this.client.subscribeAsync(filter, options), `subscribing to ${filter}`);
      return granted.map(({qos}) => qos);
    }

    publish(topic, payload, options = {}) {
      return within(this.client.publishAsync(topic, payload, {qos: 1, ...options}), `publishing to ${topic}`);
    }

    close() {
      return within(this.client.endAsync(), 'the end');
    }
  }

  /**
   * The steps, by name.
   *
   * mqtt: the library
   * broker: {direct, relayed, version, root, dropConnections} with the URLs of the broker and of the relay to it
   */
  exports.steps = function (mqtt, {direct, relayed, version, root, dropConnections}) {
    const five = version === 5;

    /** Connects; {@code present} of the peer tells whether there was a session. */
    async function connect(options = {}, url = direct) {
      const {session = 0, ...rest} = options;
      const client = mqtt.connect(url, {
        protocolVersion: version,
        username: 'guest',
        password: 'guest',
        reconnectPeriod: 50,
        ...(five ? {properties: {sessionExpiryInterval: session}} : {}),
        ...rest,
      });
      const peer = new Peer(client);
      const connected = new Promise((resolve, reject) => {
        client.once('connect', resolve);
        client.once('error', reject);
      });
      try {
        peer.present = (await within(connected, 'a connection')).sessionPresent;
      } catch (refused) {
        client.end(true);
        throw refused;
      }
      return peer;
    }

    const name = (role) => `${root} ${role}`.replaceAll('/', ' ');
    const fresh = async (role) => (await connect({clientId: name(role)})).close();
    const keeping = (role, url) => connect({clientId: name(role), clean: false, session: KEPT_SECONDS}, url);
    const closed = (...peers) => Promise.all(peers.map((peer) => peer.close()));

    const steps = {
      async login() {
        await closed(await connect(), await connect({username: undefined, password: undefined}));
        const refusal = await connect({password: 'wrong'}).then(
          () => 'none',
          (error) => error.code,
        );
        // Bad user name or password, or not authorised.
        if (!(five ? [134, 135] : [4, 5]).includes(refusal)) throw new Error(`a wrong password: ${refusal}`);
      },

      async publish() {
        const [subscriber, lower, publisher] = [await connect(), await connect(), await connect()];
        equal(await subscriber.subscribe(`${root}/publish/+`, {qos: 2}), [2], 'granted');
        equal(await lower.subscribe(`${root}/publish/2`, {qos: 1}), [1], 'granted');
        const publishing = [];
        for (const qos of [0, 1, 2]) {
          for (const text of numbered(qos)) publishing.push(publisher.publish(`${root}/publish/${qos}`, text, {qos}));
        }
        await Promise.all(publishing);
        const received = [[], [], []];
        for (let count = 0; count < 3 * MESSAGES; count++) {
          const {topic, text, qos, retain} = await subscriber.take();
          equal([topic, retain], [`${root}/publish/${qos}`, false], 'a message');
          received[qos].push(text);
        }
        equal(received, [0, 1, 2].map(numbered), 'the messages, in the order published');
        for (let count = 0; count < MESSAGES; count++) equal((await lower.take()).qos, 1, "QoS below the publisher's");
        const large = new Uint8Array(2_000_000).map((_, at) => (at * 31) >> 3);
        await publisher.publish(`${root}/publish/2`, exports.buffer(large), {qos: 2});
        const {payload} = await subscriber.take();
        equal(payload.length, large.length, 'length of a large message');
        if (!large.every((byte, at) => payload[at] === byte)) throw new Error('a large message was changed');
        await within(subscriber.client.unsubscribeAsync(`${root}/publish/+`), 'unsubscribing');
        await subscriber.subscribe(`${root}/other`);
        await publisher.publish(`${root}/publish/1`, 'nobody');
        await publisher.publish(`${root}/other`, 'other');
        equal((await subscriber.take()).text, 'other', 'after unsubscribing');
        await closed(subscriber, lower, publisher);
      },

      async retain() {
        const [publisher, live] = [await connect(), await connect()];
        await live.subscribe(`${root}/retain/#`);
        for (const text of ['first', 'latest']) await publisher.publish(`${root}/retain/a`, text, {retain: true});
        for (const text of ['first', 'latest']) {
          const message = await live.take();
          equal([message.text, message.retain], [text, false], 'towards who was subscribed');
        }
        const late = await connect();
        await late.subscribe(`${root}/retain/+`);
        const {text, retain, qos} = await late.take();
        equal([text, retain, qos], ['latest', true, 1], 'the retained message');
        await publisher.publish(`${root}/retain/a`, '', {retain: true});
        const later = await connect();
        await later.subscribe(`${root}/retain/+`);
        await publisher.publish(`${root}/retain/b`, 'marker');
        equal((await later.take()).text, 'marker', 'after the retained message was cleared');
        await closed(publisher, live, late, later);
      },

      async wildcard() {
        const [subscriber, publisher] = [await connect(), await connect()];
        equal(await subscriber.subscribe([`${root}/wild/+/heat`, `${root}/wild/deep/#`]), [1, 1], 'granted');
        const matching = ['wild/a/heat', 'wild/deep', 'wild/deep/b', 'wild/deep/b/c.d e', 'wild//heat', 'wild/é/heat'];
        for (const topic of ['wild/heat', 'wild/a/b/heat', 'wild/deeper', ...matching]) {
          await publisher.publish(`${root}/${topic}`, topic);
        }
        equal(await subscriber.texts(matching.length), matching, 'messages that match');
        await closed(subscriber, publisher);
      },

      async session() {
        await fresh('kept');
        const kept = await keeping('kept');
        equal(kept.present, false, 'session present at first');
        await kept.subscribe(`${root}/session`, {qos: 2});
        await kept.close();
        const publisher = await connect();
        await Promise.all(numbered('offline').map((text) => publisher.publish(`${root}/session`, text)));
        const back = await keeping('kept');
        equal(back.present, true, 'session present');
        equal(await back.texts(MESSAGES), numbered('offline'), 'what came meanwhile');
        await closed(back, publisher);
        await fresh('kept');
      },

      async will() {
        const watcher = await connect();
        await watcher.subscribe(`${root}/will`);
        const will = (payload) => ({topic: `${root}/will`, payload, qos: 1, retain: false});
        await (await connect({will: will('orderly')})).close();
        const lost = await connect({will: will('lost'), reconnectPeriod: 0}, relayed);
        await dropConnections();
        const {text, qos} = await watcher.take();
        equal([text, qos], ['lost', 1], 'the will');
        lost.client.end(true);
        await watcher.close();
      },

      async shared() {
        const [one, two, witness, publisher] = [await connect(), await connect(), await connect(), await connect()];
        const group = new Peer({on() {}});
        for (const member of [one, two]) {
          member.put = (message) => group.put(message);
          equal(await member.subscribe(`$share/workers/${root}/jobs`), [1], 'granted');
        }
        await witness.subscribe(`${root}/jobs`);
        for (const text of numbered('job')) await publisher.publish(`${root}/jobs`, text);
        equal(await witness.texts(MESSAGES), numbered('job'), 'what everyone gets');
        equal((await group.texts(MESSAGES)).sort(), numbered('job').sort(), 'what the group got, each message once');
        // The other one gets what comes when one has left.
        await within(one.client.unsubscribeAsync(`$share/workers/${root}/jobs`), 'unsubscribing');
        await publisher.publish(`${root}/jobs`, 'for who is left');
        equal((await group.take()).text, 'for who is left', 'the next job');
        await closed(one, two, witness, publisher);
      },

      async reconnect() {
        await fresh('back');
        const peer = await keeping('back', relayed);
        await peer.subscribe(`${root}/reconnect/#`, {qos: 2});
        const [publisher, watcher] = [await connect(), await connect()];
        await watcher.subscribe(`${root}/from-back`);
        await publisher.publish(`${root}/reconnect/a`, 'before', {qos: 2});
        equal((await peer.take()).text, 'before', 'before the drop');
        const lost = new Promise((resolve) => peer.client.once('close', resolve));
        const back = new Promise((resolve) => peer.client.once('connect', resolve));
        await dropConnections();
        await within(lost, 'the news of the drop');
        const own = peer.publish(`${root}/from-back`, 'kept by the client', {qos: 2});
        await publisher.publish(`${root}/reconnect/a`, 'meanwhile', {qos: 2});
        equal((await within(back, 'the new connection')).sessionPresent, true, 'session present');
        equal((await peer.take()).text, 'meanwhile', 'what was sent while it was away');
        await own;
        equal((await watcher.take()).text, 'kept by the client', 'what the client kept');
        await closed(peer, publisher, watcher);
        await fresh('back');
      },

      async request() {
        const [server, caller] = [await connect(), await connect()];
        await server.subscribe(`${root}/sum`);
        await caller.subscribe(`${root}/answers`);
        const correlationData = exports.buffer(new Uint8Array([0, 1, 255]));
        await caller.publish(`${root}/sum`, '20 22', {properties: {responseTopic: `${root}/answers`, correlationData}});
        const question = await server.take();
        const sum = question.text.split(' ').reduce((total, number) => total + Number(number), 0);
        const {responseTopic} = question.properties;
        await server.publish(responseTopic, String(sum), {
          properties: {correlationData: question.properties.correlationData},
        });
        const answer = await caller.take();
        equal([answer.text, [...answer.properties.correlationData]], ['42', [0, 1, 255]], 'the answer');
        await closed(server, caller);
      },

      async properties() {
        const [subscriber, publisher] = [await connect({properties: {topicAliasMaximum: 5}}), await connect()];
        await subscriber.subscribe(`${root}/properties`, {qos: 1, nl: true, properties: {subscriptionIdentifier: 7}});
        const userProperties = {kind: ['check', 'twice'], größe: '1'};
        const properties = {contentType: 'text/plain', payloadFormatIndicator: true, userProperties};
        await subscriber.publish(`${root}/properties`, 'its own');
        for (let again = 0; again < 3; again++) {
          // The first one says the topic, and those after it may have its alias, both ways.
          const topic = again === 0 ? `${root}/properties` : '';
          await publisher.publish(topic, 'grün', {properties: {...properties, topicAlias: 1}});
          const message = await subscriber.take();
          equal([message.topic, message.text], [`${root}/properties`, 'grün'], 'a message');
          const {contentType, payloadFormatIndicator, subscriptionIdentifier} = message.properties;
          equal([contentType, payloadFormatIndicator, subscriptionIdentifier], ['text/plain', true, 7], 'properties');
          equal({...message.properties.userProperties}, userProperties, 'user properties');
        }
        await closed(subscriber, publisher);
      },
    };
    return (five ? [...NAMES, 'request', 'properties'] : NAMES).map((each) => [each, steps[each]]);
  };
})(typeof module === 'undefined' ? (globalThis.check = {}) : module.exports);
