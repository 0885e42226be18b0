// @stomp/stompjs through WebSocket: sends with receipts, consumes, commits and aborts, dead-letters, calls and reconnects.

import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import net from 'node:net';
import {Client} from '@stomp/stompjs';
import {WebSocket} from 'ws';

const packages = JSON.parse(readFileSync(new URL('package-lock.json', import.meta.url))).packages;
const {version} = packages['node_modules/@stomp/stompjs'];

const QUIET_MILLIS = 20_000;
const MESSAGES = 200;
const QUEUE = '/queue/check.stompjs';
const DEAD_QUEUE = '/queue/check.stompjs.dead';
const CALLS = '/queue/check.stompjs.calls';
const ARGUMENTS = {
  'x-message-ttl': '600000',
  'x-dead-letter-exchange': '',
  'x-dead-letter-routing-key': 'check.stompjs.dead',
};
const DIRECT = `ws://${process.env.BROKER_HOST}:${process.env.BROKER_PORT}/ws`;
const RELAYED = `ws://127.0.0.1:${process.env.RELAY_PORT}/ws`;

async function step(name, action) {
  await action();
  console.log(`ok ${name}`);
}

/** Things that have come and calls that wait for one. */
class Arrivals {
  #come = [];
  #waiting = [];

  put(thing) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(thing);
    else this.#come.push(thing);
  }

  take(what) {
    if (this.#come.length > 0) return Promise.resolve(this.#come.shift());
    return within(new Promise((resolve) => this.#waiting.push(resolve)), what);
  }

  get size() {
    return this.#come.length;
  }
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${QUIET_MILLIS} ms`)), QUIET_MILLIS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A client and what it hears. With binary frames, as one that sends binary ones. */
class Session {
  connections = new Arrivals();
  messages = new Arrivals();
  receipts = new Arrivals();

  constructor(url, binary = false) {
    this.client = new Client({
      webSocketFactory: () => new WebSocket(url, ['v12.stomp', 'v11.stomp', 'v10.stomp']),
      connectHeaders: {login: 'guest', passcode: 'guest', host: '/'},
      reconnectDelay: 100,
      heartbeatIncoming: 5_000,
      heartbeatOutgoing: 5_000,
      forceBinaryWSFrames: binary,
      onConnect: (frame) => this.connections.put(frame),
      onStompError: (frame) => fail(new Error(`${frame.headers.message}: ${frame.body}`)),
      onUnhandledMessage: (message) => this.messages.put(message),
      onUnhandledReceipt: (frame) => this.receipts.put(frame.headers['receipt-id']),
    });
    this.client.activate();
  }

  static async open(url, binary) {
    const session = new Session(url, binary);
    const connected = await session.connections.take('CONNECTED');
    assert.equal(connected.headers.version, '1.2');
    return session;
  }

  subscribe(destination, id, headers = {}) {
    this.client.subscribe(destination, (message) => this.messages.put(message), {id, ...headers});
  }

  send(destination, body, headers = {}) {
    this.client.publish({destination, body, headers});
  }

  /** Nothing has come that was not expected: a receipt that is asked for now comes next. */
  async nothing() {
    this.send('/topic/check.nobody', '', {receipt: 'nothing'});
    assert.equal(await this.receipts.take('a receipt'), 'nothing');
    assert.equal(this.messages.size, 0);
  }

  async close() {
    await within(this.client.deactivate(), 'the end');
  }
}

async function send(session) {
  for (let number = 0; number < MESSAGES; number++) {
    session.send(QUEUE, `message ${number} ü`, {
      persistent: 'true',
      number: `${number}`,
      odd: 'a:b\nc',
      receipt: `sent-${number}`,
      ...ARGUMENTS,
    });
  }
  const receipts = new Set();
  for (let number = 0; number < MESSAGES; number++) receipts.add(await session.receipts.take('receipts'));
  assert.equal(receipts.size, MESSAGES);
}

async function consume(session) {
  session.subscribe(QUEUE, '1', {ack: 'client-individual', 'prefetch-count': '10', ...ARGUMENTS});
  for (let number = 0; number < MESSAGES; number++) {
    const message = await session.messages.take('deliveries');
    assert.equal(message.body, `message ${number} ü`);
    assert.equal(message.headers.number, `${number}`);
    assert.equal(message.headers.odd, 'a:b\nc');
    message.ack();
  }
  await session.nothing();
}

async function transaction(session) {
  for (const end of ['abort', 'commit']) {
    const begun = session.client.begin();
    session.send(QUEUE, `by ${end}`, {transaction: begun.id});
    await session.nothing();
    begun[end]();
  }
  const message = await session.messages.take('what was committed');
  assert.equal(message.body, 'by commit');
  message.ack();
  await session.nothing();
}

async function deadLetter(session) {
  session.subscribe(DEAD_QUEUE, 'dead');
  session.send(QUEUE, 'unwanted');
  (await session.messages.take('the message')).nack({requeue: 'false'});
  const dead = await session.messages.take('the dead letter');
  assert.equal(dead.headers['x-first-death-queue'], 'check.stompjs');
  assert.equal(dead.headers['x-first-death-reason'], 'rejected');
}

async function rpc(session) {
  const server = await Session.open(DIRECT, true);
  server.subscribe(CALLS, 'calls');
  session.send(CALLS, '20 22', {'reply-to': '/temp-queue/answers', 'correlation-id': 'c1'});
  const call = await server.messages.take('the call');
  const total = call.body.split(' ').map(Number).reduce((one, other) => one + other);
  server.send(call.headers['reply-to'], `${total}`, {'correlation-id': call.headers['correlation-id']});
  const answer = await session.messages.take('the answer');
  assert.equal(answer.body, '42');
  assert.equal(answer.headers['correlation-id'], 'c1');
  // A body that is no text comes to a client of text frames too.
  const bytes = new Uint8Array([0, 255, 10, 0]);
  server.client.publish({destination: call.headers['reply-to'], binaryBody: bytes});
  assert.deepEqual([...(await session.messages.take('the bytes')).binaryBody], [...bytes]);
  await server.close();
}

async function dropConnections() {
  const control = net.connect(Number(process.env.RELAY_CONTROL_PORT), '127.0.0.1');
  control.setEncoding('utf8');
  control.write('drop\n');
  const [answer] = await within(once(control, 'data'), 'dropping the connections');
  control.destroy();
  assert.match(answer, /^dropped [1-9]/);
}

async function reconnect() {
  const session = await Session.open(RELAYED);
  session.subscribe(QUEUE, '1', {ack: 'client', ...ARGUMENTS});
  session.send(QUEUE, 'kept', {persistent: 'true', receipt: 'kept'});
  assert.equal((await session.messages.take('the message')).headers.redelivered, 'false');
  await dropConnections();
  await session.connections.take('the next connection');
  session.subscribe(QUEUE, '1', {ack: 'client', ...ARGUMENTS});
  const again = await session.messages.take('the message again');
  assert.equal(again.body, 'kept');
  assert.equal(again.headers.redelivered, 'true');
  again.ack();
  await session.close();
}

function fail(reason) {
  console.log(reason);
  process.exit(1);
}

try {
  console.log(`client @stomp/stompjs ${version}`);
  const session = await Session.open(DIRECT);
  await step('send', () => send(session));
  await step('consume', () => consume(session));
  await step('transaction', () => transaction(session));
  await step('dead-letter', () => deadLetter(session));
  await step('rpc', () => rpc(session));
  await session.close();
  await step('reconnect', reconnect);
} catch (failure) {
  fail(failure);
}
