import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AddressRange, readRange } from '../../api/http/caller-address.ts';
import { unnamedProxy, watchSharedAddresses } from '../../api/http/shared-addresses.ts';
import { nameSocket } from '../../runtime/proxy-header.ts';

const test = suite('shared addresses');
const hourMs = 3_600_000;

function watched(...trusted: string[]) {
  const log: { address: unknown; hint: unknown }[] = [];
  const time = { at: 1_000_000 };
  const ranges = trusted.map((text) => readRange(text) as AddressRange);
  const logger = { warn: ({ address, hint }: Record<string, unknown>) => void log.push({ address, hint }) };
  const watch = watchSharedAddresses(ranges, { clock: { now: () => time.at }, logger });
  const comes = (remoteAddress: string, forwarded?: string): void =>
    watch.note({
      socket: { remoteAddress } as never,
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    });
  return { watch, log, time, comes };
}

test('T-80: an unnamed proxy with several clients is logged once a day with its address, and what to set', () => {
  const { watch, log, time, comes } = watched();
  comes('::ffff:192.0.2.9', '198.51.100.1');
  comes('192.0.2.9', '198.51.100.1');
  comes('192.0.2.9', '203.0.113.7, 198.51.100.2');
  assert.equal([log, watch.found()], [[], false], 'two may be one person at home and on the way');
  for (let at = 3; at < 300; at++) comes('192.0.2.9', `198.51.100.${at % 250}`);
  assert.equal(log, [{ address: '192.0.2.9', hint: 'if it is a proxy of yours: PAPERGATE_TRUSTED_PROXIES=192.0.2.9' }]);
  assert.ok(watch.found());
  time.at += hourMs;
  assert.not.ok(watch.found(), 'it is over when nobody comes any more');
  for (let hour = 1; hour < 24; hour++) {
    for (let at = 0; at < 5; at++) comes('192.0.2.9', `198.51.100.${at}`);
    time.at += hourMs;
  }
  assert.is(log.length, 1);
  for (let at = 0; at < 5; at++) comes('192.0.2.9', `198.51.100.${at}`);
  assert.is(log.length, 2);
});

test('a named proxy, clients of their own, and headers that name nobody are not news', () => {
  const { watch, log, comes } = watched('192.0.2.0/24');
  for (let at = 0; at < 50; at++) {
    comes('192.0.2.9', `198.51.100.${at}`);
    comes(`203.0.113.${at}`);
    comes('203.0.113.9', `nobody ${at}`);
    comes('203.0.113.9', '203.0.113.9');
    comes('203.0.113.9', 'x'.repeat(5_000));
    // Somebody who invents one header at each of many addresses.
    comes(`2001:db8::${at}`, '198.51.100.1');
  }
  assert.equal([log, watch.found()], [[], false]);
});

test('T-23: a named proxy that passes frames on without their addresses is logged once a day', () => {
  const { watch, log, time } = watched('192.0.2.9', '127.0.0.1');
  const frameFrom = (remoteAddress: string, headers = {}, named = false): void => {
    const socket = { remoteAddress } as never;
    if (named) nameSocket(socket, { address: '192.0.2.9', port: 1 });
    watch.noteFrame({ socket, headers });
  };
  frameFrom('198.51.100.1');
  frameFrom('127.0.0.1');
  frameFrom('192.0.2.9', { 'x-forwarded-for': '198.51.100.1' });
  frameFrom('192.0.2.9', {}, true);
  assert.equal(log, [], 'a frame of its own, one of this machine, and proxies that name their clients');
  for (let at = 0; at < 5; at++) frameFrom('::ffff:192.0.2.9');
  assert.equal(log, [
    {
      address: '192.0.2.9',
      hint: 'let it begin connections with the PROXY protocol, version 2 (HAProxy: send-proxy-v2)',
    },
  ]);
  time.at += 24 * hourMs;
  frameFrom('192.0.2.9');
  assert.is(log.length, 2);
});

test('an https address without a named proxy is logged at the start', () => {
  assert.match(unnamedProxy('https://papers.example', []) ?? '', /PAPERGATE_TRUSTED_PROXIES names none/);
  assert.is(unnamedProxy('https://papers.example', [{}]), undefined);
  assert.is(unnamedProxy('http://papers.example', []), undefined);
  assert.is(unnamedProxy(undefined, []), undefined);
});

test.run();
