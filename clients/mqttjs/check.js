// MQTT.js in Node.js. Arguments: the protocol's version, 3.1.1 or 5, and the transport, mqtt or ws.

'use strict';

const mqtt = require('mqtt');
const checks = require('./steps.js');
const {dropConnections} = require('./relay.js');
const {version} = require('./package-lock.json').packages['node_modules/mqtt'];

const [level, transport] = process.argv.slice(2);
const path = transport === 'ws' ? '/ws' : '';

checks.buffer = Buffer.from;

async function main() {
  console.log(`client MQTT.js ${version} (MQTT ${level} over ${transport}, Node.js ${process.versions.node})`);
  const steps = checks.steps(mqtt, {
    direct: `${transport}://${process.env.BROKER_HOST}:${process.env.BROKER_PORT}${path}`,
    relayed: `${transport}://127.0.0.1:${process.env.RELAY_PORT}${path}`,
    version: level === '5' ? 5 : 4,
    root: `check/mqttjs/${transport}/${level}`,
    dropConnections,
  });
  for (const [name, action] of steps) {
    await action();
    console.log(`ok ${name}`);
  }
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
