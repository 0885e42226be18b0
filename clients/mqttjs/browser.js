// MQTT.js in a page of headless Chromium. The page is served here, says how far it is, and asks for what only the relay
// can do.

'use strict';

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const {once} = require('node:events');
const {spawn, execFileSync} = require('node:child_process');
const {dropConnections} = require('./relay.js');
const {version} = require('./package-lock.json').packages['node_modules/mqtt'];

const FILES = {'/mqtt.js': path.join(__dirname, 'node_modules/mqtt/dist/mqtt.min.js'), '/steps.js': path.join(__dirname, 'steps.js')};
const PAGE_MILLIS = 120_000;

const PAGE = `<!doctype html>
<meta charset="utf-8">
<script src="mqtt.js"></script>
<script src="steps.js"></script>
<script>
  const tell = (path, text) => fetch(path, {method: 'POST', body: text}).then((answer) => {
    if (!answer.ok) throw new Error(path + ': ' + answer.status);
  });

  async function main() {
    check.buffer = (bytes) => bytes;
    const steps = check.steps(mqtt, {
      direct: 'ws://${process.env.BROKER_HOST}:${process.env.BROKER_PORT}/ws',
      relayed: 'ws://127.0.0.1:${process.env.RELAY_PORT}/ws',
      version: 5,
      root: 'check/mqttjs/page',
      dropConnections: () => tell('/drop', ''),
    });
    for (const [name, action] of steps) {
      await action();
      await tell('/said', 'ok ' + name);
    }
  }

  main().then(() => tell('/end', '0'), async (error) => {
    await tell('/said', String(error.stack));
    await tell('/end', '1');
  });
</script>
`;

/** Serves the page; gives its URL and the promise of the exit code that it ends with. */
async function servePage() {
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const commands = {
    '/said': (text) => console.log(text),
    '/drop': dropConnections,
    '/end': (code) => end(Number(code)),
  };
  const server = http.createServer(async (request, response) => {
    const command = request.method === 'POST' && commands[request.url];
    try {
      if (command) {
        await command(Buffer.concat(await request.toArray()).toString());
        response.end();
      } else if (request.url in FILES) {
        response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
        response.end(fs.readFileSync(FILES[request.url]));
      } else {
        response.statusCode = request.url === '/' ? 200 : 404;
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(request.url === '/' ? PAGE : '');
      }
    } catch (error) {
      console.log(error.stack);
      response.statusCode = 500;
      response.end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {url: `http://127.0.0.1:${server.address().port}/`, ended};
}

function browse(url, profile) {
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  options.push('--disable-background-networking', '--disable-extensions', `--user-data-dir=${profile}`, url);
  return spawn('chromium', options, {stdio: ['ignore', 'inherit', 'inherit']});
}

async function main() {
  const browser = execFileSync('chromium', ['--version'], {stdio: ['ignore', 'pipe', 'ignore']}).toString();
  console.log(`client MQTT.js ${version} (MQTT 5 over ws, ${browser.match(/Chromium [\d.]+/)[0]})`);
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'entrepot-page-'));
  const {url, ended} = await servePage();
  const chromium = browse(url, profile);
  const gone = once(chromium, 'exit').then(() => 'the browser ended');
  const late = new Promise((resolve) => setTimeout(resolve, PAGE_MILLIS, 'the page did not end').unref());
  const outcome = await Promise.race([ended, gone, late]);
  chromium.kill();
  await gone;
  fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5});
  if (outcome !== 0) console.log(outcome);
  process.exit(outcome === 0 ? 0 : 1);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
