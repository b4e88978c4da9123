/**
 * A simulated frame against servers: this service keeps everything, and the report on a bad server names each fault.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { registerAdopted } from '../../gateway/adoption/adopt-frame.ts';
import { drawNeutral } from '../../gateway/pictures/neutral-picture.ts';
import { systemClock } from '../../runtime/clock.ts';
import { transact } from '../../runtime/database/database.ts';
import { checkServer, type ServerTrial } from '../../testbed/server/check-server.ts';
import type { ServerCheck } from '../../testbed/server/judge-answers.ts';
import { withGateway } from '../gateway/world.ts';

const test = suite('servers for frames that poll');

const serial = 'trmnl-aabbcc001122';

function trial(base: string, more: Partial<ServerTrial> = {}): ServerTrial {
  const frame = { serial, model: 'og', firmware: '1.8.15', waitMs: 0, clock: systemClock, waits: () => undefined };
  return { base, ...frame, ...more };
}

const broken = (checks: readonly ServerCheck[]): string[] =>
  checks.filter(({ kept }) => !kept).map(({ check, level }) => `${level} ${check}`);

test('this service keeps every check, and lets a frame wait that nobody has adopted', () =>
  withGateway(async (world) => {
    const base = `${world.url}/trmnl`;
    const waiting = await checkServer(trial(base));
    assert.equal(broken(waiting), []);
    assert.not.ok(waiting.some(({ check }) => check.startsWith('display')));
    await transact(world.db, (trx) => registerAdopted(trx, world, { serial, kind: 'trmnl4' }));
    await world.activate(serial);
    const panel = panelOfKind('trmnl4');
    assert.ok(panel);
    const { file } = await drawNeutral(panel);
    const sha256 = await world.gateway.storePicture(file);
    const made = { sha256, bytes: file.length, format: panel.packing, panel: panel.name };
    await transact(world.db, (trx) => world.gateway.offerPicture(trx, { serial, revision: 'one', ...made }));
    const checks = await checkServer(trial(base));
    assert.equal(broken(checks), []);
    assert.ok(checks.some(({ check }) => check === 'picture: pixels'));
  }));

async function withServer(answer: RequestListener, use: (base: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('the mistakes of a bad server are named: keys for strangers, no sleep, a wipe, chunks, a moved picture, lies that stay', () =>
  withServer(
    (request, response) => {
      const path = request.url ?? '';
      if (path === '/api/setup') {
        response.end(
          JSON.stringify({ status: 200, api_key: 'k', friendly_id: 'F', message: 'm'.repeat(200) }, null, 2),
        );
      } else if (path === '/api/display') {
        const picture = `http://127.0.0.1:${request.socket.localPort}/${'p'.repeat(1000)}`;
        const said = {
          status: 500,
          refresh_rate: '0',
          filename: 'n'.repeat(40),
          image_url: picture,
          reset_firmware: true,
        };
        response.write(JSON.stringify(said));
        response.end();
      } else if (path === '/api/log') response.writeHead(500).end();
      else response.writeHead(302, { location: '/elsewhere' }).end();
    },
    async (base) => {
      assert.equal(broken(await checkServer(trial(base))), [
        'should setup: strangers',
        'should setup: compact JSON',
        'must setup: message',
        'must display: Content-Length',
        'must display: status',
        'must display: refresh_rate',
        'must display: sleep',
        'should display: length of filename',
        'must display: length of image_url',
        'must display: no reset',
        'must picture: status',
        'must picture: Content-Length',
        'must picture: Content-Type',
        'must picture: size of file',
        'must picture: PNG',
        'must picture: pixels',
        'must picture: depth',
        'must log: status',
        'should glass: error screens',
      ]);
    },
  ));

test('a server that nobody reaches keeps nothing, and that is said', async () => {
  const checks = await checkServer(trial('http://127.0.0.1:9'));
  const json = checks.find(({ check }) => check === 'setup: JSON');
  assert.is(json?.kept, false);
  assert.match(json?.seen ?? '', /ECONNREFUSED|refused/i);
});

test.run();
