import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { completeEnvironment } from '../../api/service/settings/one-address.ts';
import { serverNames } from '../../api/service/settings/server-names.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { lookLocally } from '../../cli/doctor/doctor-locally.ts';
import { judgeReach } from '../../cli/doctor/doctor-reach.ts';
import { readyLine } from '../../cli/service/serve.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { withFolder } from '../journeys/world.ts';
import { unlessUnable } from '../some-times.ts';

const test = suite('one address');

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const refused = (env: Readonly<Record<string, string>>, message: RegExp) =>
  assert.throws(() => readSettings(env), message);

test('the ready line says where the service listens, and the console where people reach it', () => {
  const listening = { http: 'http://127.0.0.1:3000', mqtt: 'mqtt://127.0.0.1:1883', mqtts: 'mqtts://127.0.0.1:8883' };
  const line = (env: Readonly<Record<string, string>>) => JSON.stringify(readyLine(readSettings(env), listening));
  const began = `{"event":"ready","http":"${listening.http}","mqtt":"${listening.mqtt}","mqtts":"${listening.mqtts}"`;
  assert.is(line({}), `${began},"console":"http://127.0.0.1:3000/console"}`);
  assert.is(line({ PAPERGATE_HOST: '192.168.1.20' }), `${began},"console":"http://192.168.1.20:3000/console"}`);
  const behindProxy = { PAPERGATE_PUBLIC_URL: 'https://papers.example.org/' };
  assert.is(line(behindProxy), `${began},"console":"https://papers.example.org/console"}`);
});

test('public and frame address and a name of the certificate follow from it, where they are not set', () => {
  const all = readSettings({ PAPERGATE_HOST: ' Papers.Example.org ', PAPERGATE_HTTP_PORT: '3001' });
  assert.is(all.PAPERGATE_PUBLIC_URL, 'http://papers.example.org:3001');
  assert.is(all.PAPERGATE_FRAME_URL, 'http://papers.example.org:3001');
  assert.ok(serverNames(all).includes('papers.example.org'));
  const some = readSettings({
    PAPERGATE_HOST: '2001:DB8::7',
    PAPERGATE_PUBLIC_URL: 'https://papers.example.org',
    PAPERGATE_MQTT_NAMES: 'frames.example.org',
  });
  assert.is(some.PAPERGATE_PUBLIC_URL, 'https://papers.example.org');
  assert.is(some.PAPERGATE_FRAME_URL, 'http://[2001:db8::7]:3000');
  assert.equal(some.PAPERGATE_MQTT_NAMES, ['frames.example.org', '2001:db8::7']);
  assert.is(readSettings({ PAPERGATE_HOST: '' }).PAPERGATE_PUBLIC_URL, undefined);
});

test('an invalid host is refused by its name, and so is a port that changes at each start', () => {
  for (const host of ['http://192.168.1.20', '192.168.1.20:3000', 'two words', '0.0.0.0', '::', '192.168.1', 'a_b']) {
    refused({ PAPERGATE_HOST: host }, /^PAPERGATE_HOST: is not a host name or IP address that others can dial/);
  }
  const host = { PAPERGATE_HOST: '192.168.1.20', PAPERGATE_HTTP_PORT: '0' };
  refused(host, /^PAPERGATE_HOST: .*port 0 is another one at each start/);
  const set = { PAPERGATE_PUBLIC_URL: 'https://a.example', PAPERGATE_FRAME_URL: 'http://a.example' };
  assert.is(readSettings({ ...host, ...set }).PAPERGATE_HTTP_PORT, 0);
});

function listening<Kind extends Server>(server: Kind, host: string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** A port at which nobody listens. */
async function freePort(host: string): Promise<number> {
  const server = createHttpServer();
  const port = await listening(server, host);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const judged = async (env: Readonly<Record<string, string>>, http: number, mqtts: number) => {
  const endpoints = { http: `http://127.0.0.1:${http}`, mqtt: '', mqtts: `mqtts://127.0.0.1:${mqtts}` };
  const found = await judgeReach(completeEnvironment(env), endpoints);
  return new Map(found.map((diagnosis) => [diagnosis.name, diagnosis]));
};

test('doctor warns of a service that only this machine reaches, and says what to set', async () => {
  for (const env of [{}, { PAPERGATE_HOST: 'localhost', PAPERGATE_HTTP_PORT: '1' }]) {
    const found = await judged(env, 1, 1);
    assert.equal([...found.keys()], ['address', 'frames reach']);
    for (const { result, message, hint } of found.values()) {
      assert.is(result, 'warn');
      assert.match(
        message,
        /^only this machine reaches (http:\/\/(127\.0\.0\.1|localhost):1|mqtts:\/\/127\.0\.0\.1:1): /,
      );
      assert.match(hint ?? '', /^set PAPERGATE_HOST to .*, PAPERGATE_HTTP_HOST and PAPERGATE_MQTT_HOST to 0\.0\.0\.0$/);
    }
  }
});

unlessUnable(test, own === undefined ? 'this machine has no address in a network' : undefined)(
  'doctor dials as a phone and a frame do: nobody there, another port, somebody else, a name that the certificate lacks',
  () =>
    withFolder(async (folder) => {
      const address = own ?? '';
      let answer: unknown = { status: 'ok', uptimeSeconds: 1 };
      const http = createHttpServer((_request, response) => response.end(JSON.stringify(answer)));
      const port = await listening(http, address);
      const authority = await openAuthority(folder, Date.now());
      const names = [address, 'papers.example.org'];
      const issued = await authority.server(names, Date.now());
      const broker = createTlsServer({ key: issued.key, cert: issued.certificate });
      const mqtts = await listening(broker, address);
      const free = await freePort(address);
      try {
        const open = { PAPERGATE_HTTP_HOST: '0.0.0.0', PAPERGATE_MQTT_HOST: '0.0.0.0' };
        const env = { ...open, PAPERGATE_HOST: address, PAPERGATE_HTTP_PORT: String(port) };
        const well = await judged(env, port, mqtts);
        assert.equal(
          [...well.values()].map(({ result }) => result),
          ['ok', 'ok'],
        );

        answer = 'a router';
        assert.match(
          (await judged(env, port, mqtts)).get('address')?.message ?? '',
          /something else answers there \(200\)$/,
        );
        answer = { uptimeSeconds: 1 };

        const moved = await judged({ ...env, PAPERGATE_HTTP_PORT: `${free}` }, port, free);
        assert.is(moved.get('address')?.result, 'fail');
        assert.match(
          moved.get('address')?.message ?? '',
          new RegExp(`:${free} does not lead to the service: ECONNREFUSED$`),
        );
        assert.is(
          moved.get('address')?.hint,
          `the service listens at port ${port}: lead port ${free} there (a proxy, or the ports of the container), or correct PAPERGATE_PUBLIC_URL`,
        );
        assert.match(moved.get('frames reach')?.message ?? '', /^no broker at .*: ECONNREFUSED$/);
        const closed = await judged({ PAPERGATE_HOST: address, PAPERGATE_HTTP_PORT: `${free}` }, free, free);
        assert.match(
          closed.get('address')?.hint ?? '',
          /^the service listens on this machine alone: set PAPERGATE_HTTP_HOST=0/,
        );
        assert.match(closed.get('frames reach')?.hint ?? '', /set PAPERGATE_MQTT_HOST=0\.0\.0\.0$/);

        broker.setSecureContext(await contextOf(folder));
        const unnamed = (await judged(env, port, mqtts)).get('frames reach');
        assert.is(unnamed?.result, 'fail');
        assert.match(unnamed?.message ?? '', /does not name .*: frames refuse it$/);
        assert.match(
          unnamed?.hint ?? '',
          new RegExp(`^set PAPERGATE_HOST=${address}, or add it to PAPERGATE_MQTT_NAMES`),
        );
      } finally {
        http.close();
        broker.close();
      }
    }),
);

/** A certificate of the same authority for other names. */
async function contextOf(folder: string): Promise<{ key: string; cert: string }> {
  const other = join(folder, 'other');
  await mkdir(other);
  const { key, certificate } = await (await openAuthority(other, Date.now())).server(['other.example'], Date.now());
  return { key, cert: certificate };
}

test('a clock before the authority was made is reported: frames would refuse its certificates', () =>
  withFolder(async (folder) => {
    const day = 86_400_000;
    await openAuthority(folder, Date.now());
    const url = 'http://127.0.0.1:1';
    await writeFile(join(folder, 'endpoints.json'), JSON.stringify({ http: url, mqtts: 'mqtts://127.0.0.1:1' }));
    const timeAt = async (now: number) =>
      (await lookLocally({ PAPERGATE_DATA: folder }, url, now)).find(({ name }) => name === 'time')?.result;
    assert.is(await timeAt(Date.now()), undefined);
    assert.is(await timeAt(Date.now() - 400 * day), 'fail');
  }));

test.run();
