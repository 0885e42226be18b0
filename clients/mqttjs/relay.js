// The relay's command to cut the connections that go through it.

'use strict';

const assert = require('node:assert/strict');
const net = require('node:net');
const {once} = require('node:events');

const ANSWER_MILLIS = 20_000;

exports.dropConnections = async function () {
  const control = net.connect(Number(process.env.RELAY_CONTROL_PORT), '127.0.0.1');
  control.write('drop\n');
  const [answer] = await once(control, 'data', {signal: AbortSignal.timeout(ANSWER_MILLIS)});
  control.destroy();
  assert.match(answer.toString(), /^dropped [1-9]/);
};
