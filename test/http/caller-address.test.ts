import { mkdtemp, rm } from 'node:fs/promises';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AddressRange, callerAddress, readRange } from '../../api/http/caller-address.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { plainAddress } from '../../runtime/plain-address.ts';
import { withHttp } from './world.ts';

const test = suite('the address of a caller');

const trusted = (list: string): readonly AddressRange[] =>
  readSettings({ PAPERGATE_TRUSTED_PROXIES: list }).PAPERGATE_TRUSTED_PROXIES;

/** Whom a request from `peer` counts for. */
function whose(list: string, peer: string | undefined, forwarded?: string): string {
  const socket = { remoteAddress: peer } as never;
  return callerAddress(trusted(list))({
    socket,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });
}

/** Asks for the status, which counts by address alone. A list of values makes as many header lines. */
function statusOf(port: number, forwarded?: string | readonly string[]): Promise<number | undefined> {
  const headers: OutgoingHttpHeaders = forwarded === undefined ? {} : { 'X-Forwarded-For': [...[forwarded].flat()] };
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/iotdevice/status/api', headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

const three = { callsPerMinute: 3 };

test('T-23: what a peer invents that nobody trusts changes no bucket', async () => {
  for (const list of ['192.0.2.1', '10.0.0.0/8,::1']) {
    await withHttp(
      async ({ port }) => {
        for (let count = 0; count < 3; count++) assert.is(await statusOf(port, `198.51.100.${count}`), 200);
        assert.is(await statusOf(port, '198.51.100.99'), 429);
        assert.is(await statusOf(port), 429);
      },
      { ...three, trustedProxies: trusted(list) },
    );
  }
});

test('T-23: behind a trusted proxy each client has its bucket, an IPv6 client its /64', () =>
  withHttp(
    async ({ port, call, admin }) => {
      for (let count = 0; count < 3; count++) assert.is(await statusOf(port, '198.51.100.1'), 200);
      assert.is(await statusOf(port, '198.51.100.1:4711'), 429);
      assert.is(await statusOf(port, '198.51.100.2'), 200);
      assert.is(await statusOf(port), 200, 'nor is the proxy itself the client');
      for (let count = 0; count < 3; count++) assert.is(await statusOf(port, `2001:db8::${count}`), 200);
      assert.is(await statusOf(port, '[2001:db8::ffff]:443'), 429);
      assert.is(await statusOf(port, '2001:db8:0:1::1'), 200);
      // T-22: wrong credentials, too.
      const from = (address: string) => ({ 'x-forwarded-for': address });
      const guess = { 'x-api-key': '0'.repeat(64), ...from('198.51.100.7') };
      for (let count = 0; count < 3; count++) {
        assert.is((await call('GET', '/organizations', { headers: guess })).status, 401);
      }
      assert.is((await call('GET', '/organizations', { headers: guess })).status, 429);
      const asked = async (address: string) =>
        (await call('GET', '/organizations', { as: admin, headers: from(address) })).status;
      assert.is(await asked('198.51.100.7'), 429);
      assert.is(await asked('198.51.100.8'), 200);
    },
    { ...three, trustedProxies: trusted('127.0.0.0/8') },
  ));

test('T-23: through two proxies the client counts, and what it wrote itself before them does not', () =>
  withHttp(
    async ({ port }) => {
      const outer = '10.1.2.3';
      for (let count = 0; count < 3; count++) {
        assert.is(await statusOf(port, `203.0.113.${count}, 127.0.0.1, 198.51.100.1, ${outer}`), 200);
      }
      assert.is(await statusOf(port, `203.0.113.77, 198.51.100.1, ${outer}`), 429);
      assert.is(await statusOf(port, ['203.0.113.78', `198.51.100.1 ,${outer}`]), 429, 'in several header lines');
      assert.is(await statusOf(port, ['198.51.100.1', outer]), 429);
      assert.is(await statusOf(port, `198.51.100.1, 198.51.100.2, ${outer}`), 200);
    },
    { ...three, trustedProxies: trusted('127.0.0.1, 10.0.0.0/8') },
  ));

test('T-23: the walk goes from the right and ends at a stranger, at what is not an address, or at the end', () => {
  const cases: [list: string, peer: string | undefined, forwarded: string | undefined, caller: string][] = [
    ['10.0.0.1', '10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2', '1.1.1.1', '10.0.0.2'],
    ['10.0.0.1', undefined, '1.1.1.1', ''],
    ['10.0.0.1', '10.0.0.1', '1.1.1.1, 2.2.2.2', '2.2.2.2'],
    ['10.0.0.0/30', '10.0.0.1', '1.1.1.1, 10.0.0.3', '1.1.1.1'],
    ['10.0.0.0/30', '10.0.0.1', '1.1.1.1, 10.0.0.4', '10.0.0.4'],
    // All of them trusted: the first is the caller.
    ['10.0.0.0/8', '10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    // IPv4 that came as IPv6, on either side.
    ['10.0.0.1', '::ffff:10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:10.0.0.1', '10.0.0.1', '::ffff:102:304', '1.2.3.4'],
    ['::ffff:10.0.0.0/104', '10.9.9.9', '[::ffff:1.2.3.4]:80', '1.2.3.4'],
    ['2001:DB8::/32', '2001:db8:0::1', '2001:0DB9::0:1', '2001:db9::1'],
    ['::1', '::1', '1.2.3.4:65535', '1.2.3.4'],
    // A range of IPv6 holds no IPv4.
    ['::/8', '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ];
  for (const [list, peer, forwarded, caller] of cases) {
    assert.is(whose(list, peer, forwarded), caller, `${list} | ${peer} | ${forwarded}`);
  }
  const garbage = [
    'unknown',
    '_hidden',
    '',
    ',',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4:x',
    '[1.2.3.4',
    '[::1',
    'a,b c',
    '::1]',
  ];
  for (const text of [...garbage, '1.2.3.4:123456', '256.1.1.1', 'for=1.2.3.4', '"1.2.3.4"', 'x'.repeat(10_000)]) {
    assert.is(whose('10.0.0.0/8', '10.0.0.1', text), '10.0.0.1', text);
    assert.is(whose('10.0.0.0/8', '10.0.0.1', `1.1.1.1, ${text}, 10.0.0.2`), '10.0.0.2', text);
  }
  const endless = `1.1.1.1, ${'10.0.0.2,'.repeat(5_000)}10.0.0.2`;
  assert.is(whose('10.0.0.0/8', '10.0.0.1', endless), '10.0.0.2', 'a list without end is not walked to its end');
  assert.is(plainAddress('fe80::1%eth0'), 'fe80::1');
});

test('T-23: what trusts nobody that can be named, or everybody, is refused at the start by its words', () => {
  const wrong: [text: string, problem: RegExp][] = [
    ['proxy.example', /is neither an address nor a range/],
    ['10.0.0.1,', /"" is neither/],
    ['10.0.0.0/33', /has no prefix of 1 to 32 bits/],
    ['::1/129', /has no prefix of 1 to 128 bits/],
    ['10.0.0.0/x', /has no prefix/],
    ['10.0.0.0/', /has no prefix/],
    ['10.0.0.0/-1', /has no prefix/],
    ['10.0.0.0/8/8', /is neither/],
    ['10.0.0.1:80', /is neither/],
    ['fe80::1%eth0', /is neither/],
    ['true', /is neither/],
    ['*', /is neither/],
    ['0.0.0.0/0', /trusts everybody/],
    ['::/0', /trusts everybody/],
    ['::ffff:0:0/96', /trusts everybody/],
  ];
  for (const [text, problem] of wrong) {
    assert.throws(
      () => trusted(text),
      ({ message }: Error) => message.startsWith('PAPERGATE_TRUSTED_PROXIES: ') && problem.test(message),
      text,
    );
  }
  assert.equal(trusted(''), []);
  assert.equal(readRange(' 10.0.0.7 '), { address: '10.0.0.7', prefix: 32, family: 'ipv4' });
  assert.equal(trusted('::1,10.0.0.0/8').length, 2);
});

test('T-23, INV-67: a service believes the proxies of its setting, and then shows its metrics to no address alone', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-proxies-'));
  const settings = readSettings({
    PAPERGATE_DATA: dataFolder,
    PAPERGATE_HTTP_PORT: '0',
    PAPERGATE_MQTT_PORT: '0',
    PAPERGATE_MQTTS_PORT: '0',
    PAPERGATE_BROWSER: '/nowhere/chromium',
    PAPERGATE_TRUSTED_PROXIES: '127.0.0.1',
  });
  const context = await openContext(settings);
  const service = await createService(settings, context, silentLogger);
  try {
    const { http } = await service.start();
    const exchange = async (client: string) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': client };
      const body = JSON.stringify({ grant: 'guessed' });
      return (await fetch(`${http}/v1/integration-papers/exchange`, { method: 'POST', headers, body })).status;
    };
    for (let count = 0; count < 60; count++) assert.is(await exchange('198.51.100.1'), 401);
    assert.is(await exchange('198.51.100.1'), 429);
    assert.is(await exchange('198.51.100.2'), 401);
    assert.is((await fetch(`${http}/metrics`)).status, 403, 'a proxy need not say that it is one');
  } finally {
    await service.stop();
    await context.close();
    await rm(dataFolder, { recursive: true });
  }
});

test.run();
