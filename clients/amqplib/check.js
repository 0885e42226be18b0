// amqplib of Node.js: declares, publishes, consumes, dead-letters, calls and reconnects.

'use strict';

const assert = require('node:assert/strict');
const net = require('node:net');
const {once} = require('node:events');
const amqplib = require('amqplib');
const {version} = require('./package-lock.json').packages['node_modules/amqplib'];

const QUIET_MILLIS = 20_000;
const MESSAGES = 200;
const ARGUMENTS = {
  durable: true,
  messageTtl: 600_000,
  maxLength: 10_000,
  maxPriority: 5,
  deadLetterExchange: '',
  deadLetterRoutingKey: 'check.amqplib.dead',
};
const DIRECT = {hostname: process.env.BROKER_HOST, port: Number(process.env.BROKER_PORT)};
const RELAYED = {hostname: '127.0.0.1', port: Number(process.env.RELAY_PORT)};

async function step(name, action) {
  await action();
  console.log(`ok ${name}`);
}

/** Deliveries that have come and calls that wait for one. */
class Deliveries {
  #come = [];
  #waiting = [];

  put(message) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(message);
    else this.#come.push(message);
  }

  take(what) {
    if (this.#come.length > 0) return Promise.resolve(this.#come.shift());
    return within(new Promise((resolve) => this.#waiting.push(resolve)), what);
  }
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${QUIET_MILLIS} ms`)), QUIET_MILLIS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function consumer(channel, queue, options) {
  const deliveries = new Deliveries();
  const {consumerTag} = await channel.consume(queue, (message) => deliveries.put(message), options);
  return {take: (what) => deliveries.take(what), cancel: () => channel.cancel(consumerTag)};
}

async function dropConnections() {
  const control = net.connect(Number(process.env.RELAY_CONTROL_PORT), '127.0.0.1');
  control.write('drop\n');
  const [answer] = await within(once(control, 'data'), "the relay's answer");
  control.destroy();
  assert.match(answer.toString(), /^dropped [1-9]/);
}

/** The error that the broker closes a channel of its own with. */
async function refusal(connection, action) {
  const channel = await connection.createChannel();
  const closed = once(channel, 'error');
  await assert.rejects(action(channel));
  const [error] = await within(closed, 'a channel error');
  return error;
}

async function declare(connection) {
  const channel = await connection.createChannel();
  for (const queue of ['check.amqplib', 'check.amqplib.dead']) await channel.deleteQueue(queue);
  for (const exchange of ['check.amqplib.direct', 'check.amqplib.spare']) await channel.deleteExchange(exchange);
  await channel.assertExchange('check.amqplib.spare', 'fanout', {durable: true});
  await channel.assertExchange('check.amqplib.direct', 'direct', {durable: true, alternateExchange: 'check.amqplib.spare'});
  for (const again of [1, 2]) {
    const {queue, messageCount, consumerCount} = await channel.assertQueue('check.amqplib', ARGUMENTS);
    assert.deepEqual({queue, messageCount, consumerCount}, {queue: 'check.amqplib', messageCount: 0, consumerCount: 0}, `${again}`);
  }
  await channel.assertQueue('check.amqplib.dead', {durable: true});
  await channel.bindQueue('check.amqplib', 'check.amqplib.direct', 'check');

  // This client writes 5 as one byte and 600000 as four, and the broker must compare by value.
  const differs = await refusal(connection, (other) => other.assertQueue('check.amqplib', {...ARGUMENTS, messageTtl: 5}));
  assert.equal(differs.code, 406);
  assert.match(
    differs.message,
    /PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'check.amqplib' in vhost '\/': received '5' but current is '600000'/,
  );
  const absent = await refusal(connection, (other) => other.checkQueue('check.amqplib.absent'));
  assert.match(absent.message, /NOT_FOUND - no queue 'check.amqplib.absent' in vhost '\/'/);
  await channel.close();
}

async function publish(connection) {
  const channel = await connection.createConfirmChannel();
  const confirmed = [];
  const publishing = [];
  for (let number = 0; number < MESSAGES; number++) {
    const options = {persistent: true, mandatory: true, headers: {number, kind: 'check'}};
    publishing.push(
      new Promise((resolve, reject) => {
        channel.publish('check.amqplib.direct', 'check', Buffer.from(`message ${number}`), options, (refused) => {
          confirmed.push(number);
          if (refused) reject(refused);
          else resolve();
        });
      }),
    );
  }
  await within(Promise.all(publishing), 'the confirms');
  assert.deepEqual(confirmed, [...Array(MESSAGES).keys()]);
  const returned = once(channel, 'return');
  channel.publish('check.amqplib.direct', 'elsewhere', Buffer.from('nobody'), {mandatory: true});
  await within(channel.waitForConfirms(), 'the confirm of the returned message');
  const [message] = await within(returned, 'the returned message');
  assert.deepEqual(
    [message.fields.replyCode, message.fields.replyText, message.content.toString()],
    [312, 'NO_ROUTE', 'nobody'],
  );
  assert.equal((await channel.checkQueue('check.amqplib')).messageCount, MESSAGES);
  await channel.close();
}

async function consume(connection) {
  const channel = await connection.createChannel();
  await channel.prefetch(20);
  const {take, cancel} = await consumer(channel, 'check.amqplib');
  for (let number = 0; number < MESSAGES; number++) {
    const message = await take(`message ${number}`);
    assert.equal(message.content.toString(), `message ${number}`);
    assert.equal(message.fields.redelivered, false);
    assert.deepEqual(message.properties.headers, {number, kind: 'check'});
    if (number % 10 === 9) channel.ack(message, true);
  }
  await cancel();
  assert.equal(await channel.get('check.amqplib'), false);
  await channel.close();
}

async function deadLetter(connection) {
  const channel = await connection.createChannel();
  channel.publish('check.amqplib.direct', 'check', Buffer.from('reject me'), {persistent: true, priority: 4});
  const queue = await consumer(channel, 'check.amqplib');
  channel.reject(await queue.take('the message to reject'), true);
  const again = await queue.take('the message requeued');
  assert.deepEqual([again.fields.redelivered, again.properties.priority], [true, 4]);
  channel.nack(again, false, false);
  await queue.cancel();

  const dead = await consumer(channel, 'check.amqplib.dead');
  const message = await dead.take('the dead letter');
  assert.equal(message.content.toString(), 'reject me');
  const {time, ...death} = message.properties.headers['x-death'][0];
  assert.ok(Math.abs(time.value * 1000 - Date.now()) < 3_600_000, `time ${time.value}`);
  assert.deepEqual(death, {
    count: 1,
    exchange: 'check.amqplib.direct',
    queue: 'check.amqplib',
    reason: 'rejected',
    'routing-keys': ['check'],
  });
  channel.ack(message);
  await dead.cancel();
  await channel.close();
}

async function rpc(connection) {
  const serverConnection = await amqplib.connect(DIRECT);
  const server = await serverConnection.createChannel();
  const {queue: requests} = await server.assertQueue('', {exclusive: true});
  await server.consume(requests, (request) => {
    const sum = request.content.toString().split(' ').map(Number).reduce((one, other) => one + other);
    const {replyTo, correlationId} = request.properties;
    server.sendToQueue(replyTo, Buffer.from(String(sum)), {correlationId});
    server.ack(request);
  });

  const caller = await connection.createChannel();
  const answers = await consumer(caller, 'amq.rabbitmq.reply-to', {noAck: true});
  caller.sendToQueue(requests, Buffer.from('20 22'), {replyTo: 'amq.rabbitmq.reply-to', correlationId: 'call 1'});
  const answer = await answers.take('the answer');
  assert.deepEqual([answer.properties.correlationId, answer.content.toString()], ['call 1', '42']);
  await caller.close();
  await serverConnection.close();
}

async function reconnect() {
  const deliveries = new Deliveries();
  const connection = await amqplib.connect(RELAYED, {
    recovery: {
      initialDelay: 10,
      maxDelay: 1000,
      maxRetries: 10,
      async setup(model) {
        const channel = await model.createConfirmChannel();
        await channel.prefetch(1);
        await channel.consume('check.amqplib', (message) => deliveries.put({channel, message}));
        channel.publish('check.amqplib.direct', 'elsewhere', Buffer.from('routed by the alternate exchange'));
        await channel.waitForConfirms();
      },
    },
  });
  connection.on('error', () => {});
  const publisher = await connection.createConfirmChannel();
  publisher.on('error', () => {});
  publisher.publish('check.amqplib.direct', 'check', Buffer.from('survives'), {persistent: true});
  await within(publisher.waitForConfirms(), 'the confirm before the drop');
  const before = await deliveries.take('the delivery before the drop');
  assert.deepEqual([before.message.content.toString(), before.message.fields.redelivered], ['survives', false]);

  // Not events.once(), which the reset's own error would reject.
  const disconnected = new Promise((resolve) => connection.once('disconnect', resolve));
  await dropConnections();
  await within(disconnected, 'the news of the drop');
  const after = await deliveries.take('the delivery after the drop');
  assert.deepEqual([after.message.content.toString(), after.message.fields.redelivered], ['survives', true]);
  after.channel.ack(after.message);

  const channel = await connection.createChannel();
  for (const queue of ['check.amqplib', 'check.amqplib.dead']) await channel.deleteQueue(queue);
  for (const exchange of ['check.amqplib.direct', 'check.amqplib.spare']) await channel.deleteExchange(exchange);
  await connection.close();
}

async function main() {
  console.log(`client amqplib ${version} (Node.js ${process.versions.node})`);
  const connection = await amqplib.connect(DIRECT);
  await step('declare', () => declare(connection));
  await step('publish', () => publish(connection));
  await step('consume', () => consume(connection));
  await step('dead-letter', () => deadLetter(connection));
  await step('rpc', () => rpc(connection));
  await connection.close();
  await step('reconnect', reconnect);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
