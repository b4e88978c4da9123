/** Addresses that the service hands out: those that the operator named, else the one under which it was asked. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openContext } from '../../api/service/open/service-context.ts';
import { createService } from '../../api/service/service.ts';
import { addressUntold } from '../../api/service/settings/one-address.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { isReachedOnlyHere } from '../../runtime/join-address.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { withHttp } from './world.ts';

const test = suite('told addresses');

/** Asks a service that listens everywhere under a host of the house, and returns what is answered to frames. */
async function toldTo(host: string, more: Record<string, string> = {}): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-told-'));
  const settings = readSettings({
    PAPERGATE_DATA: folder,
    PAPERGATE_HTTP_PORT: '0',
    PAPERGATE_HTTP_HOST: '0.0.0.0',
    PAPERGATE_MQTT_PORT: '0',
    PAPERGATE_MQTTS_PORT: '0',
    PAPERGATE_BROWSER: '/nowhere/chromium',
    ...more,
  });
  const context = await openContext(settings);
  const service = await createService(settings, context, silentLogger);
  try {
    const { http } = await service.start();
    const headers = { host, id: '02:00:00:00:00:07', 'fw-version': '1.8.15', model: 'og', width: '800', height: '480' };
    const display = await new Promise<string>((resolve, reject) => {
      request(`${http}/trmnl/api/display`, { headers: { ...headers, 'access-token': 'x' } }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (part) => (text += part)).on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    return JSON.parse(display);
  } finally {
    await service.stop();
    await context.close();
    await rm(folder, { recursive: true });
  }
}

test('a frame that polls is given the address that it asked, and the one that the operator named where there is one', async () => {
  const asked = await toldTo('192.168.1.10:21060');
  assert.match(asked.image_url ?? '', /^http:\/\/192\.168\.1\.10:21060\/trmnl\//);
  const named = await toldTo('192.168.1.10:21060', { PAPERGATE_PUBLIC_URL: 'http://papers.lan:3000' });
  assert.match(named.image_url ?? '', /^http:\/\/papers\.lan:3000\/trmnl\//);
});

test('anyone who is signed in learns which addresses are handed out', () =>
  withHttp(async ({ call, user }) => {
    const ask = async (host: string) => (await call('GET', '/devices/addresses', { as: user, headers: { host } })).json;
    assert.equal(await ask('192.168.1.10:3000'), {
      pages: 'http://192.168.1.10:3000',
      polled: 'http://frames.example/trmnl',
      broker: { host: 'frames.example', port: 8883 },
    });
  }));

test('a start that lets others in and names no address says which address goes to whom', () => {
  const settings = (env: Record<string, string>) => readSettings(env);
  const open = { PAPERGATE_HTTP_HOST: '0.0.0.0' };
  assert.match(
    addressUntold(settings(open), 'http://127.0.0.1:3000') ?? '',
    /frames over MQTT.*http:\/\/127\.0\.0\.1:3000/,
  );
  assert.ok(addressUntold(settings({ PAPERGATE_HTTP_HOST: '::' }), 'http://127.0.0.1:3000'));
  assert.is(addressUntold(settings({}), 'http://127.0.0.1:3000'), undefined);
  assert.is(
    addressUntold(settings({ ...open, PAPERGATE_PUBLIC_URL: 'http://a.lan' }), 'http://127.0.0.1:3000'),
    undefined,
  );
  assert.equal(
    ['http://127.0.0.1', 'http://[::1]:3000/x', 'http://LOCALHOST/', 'http://127.lan', 'nothing'].map(
      isReachedOnlyHere,
    ),
    [true, true, true, false, false],
  );
});

test.run();
