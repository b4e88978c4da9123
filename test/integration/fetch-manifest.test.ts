/** Manifests fetched from a real server, under the rules for outgoing requests. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeManifest, type FetchedManifest, manifestFetcher } from '../../api/integration/fetch-manifest.ts';
import type { UrlRules } from '../../api/integration/saved-urls.ts';
import type { Network } from '../../api/outgoing/network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, hereNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock, usableManifest } from './integration-world.ts';

const test = suite('fetch manifest');

const development = { production: false, allowLocalhost: true, publicHosts: [] };
const production = { production: true, allowLocalhost: false, publicHosts: ['papers.example'] };

const fetcher = (network: Network, rules: UrlRules) => {
  const fetchManifest = manifestFetcher({ wayOut: openWayOut({ network, clock: handClock() }), rules });
  return (url: string) => fetchManifest(url, 'house');
};

const problemOf = (fetched: FetchedManifest): string => (fetched.ok ? 'none' : wordsOf(fetched.problem));

test('a manifest is fetched without credentials and kept whole', async () => {
  await withReceiver(
    (_request, response) => response.writeHead(200).end(JSON.stringify(usableManifest)),
    async ({ origin, received }) => {
      const fetchManifest = fetcher(hereNetwork, development);
      assert.equal(await fetchManifest(`${origin}/config.json`), { ok: true, manifest: usableManifest });
      const [request] = received;
      assert.equal(
        [request?.method, request?.path, request?.headers.accept],
        ['GET', '/config.json', 'application/json'],
      );
      for (const header of ['authorization', 'cookie', 'referer']) assert.is(request?.headers[header], undefined);
    },
  );
});

test('T-04, D-8: redirects, errors, other bytes and long answers give no manifest', async () => {
  const answers: Record<string, [status: number, body: string]> = {
    '/redirect': [302, ''],
    '/gone': [404, JSON.stringify(usableManifest)],
    '/empty': [200, ''],
    '/text': [200, 'not json'],
    '/array': [200, '[]'],
    '/long': [200, JSON.stringify({ ...usableManifest, icon: 'x'.repeat(65_536) })],
  };
  await withReceiver(
    ({ path }, response) => {
      const [status, body] = answers[path] ?? [200, JSON.stringify(usableManifest)];
      response.writeHead(status, { location: '/canary' }).end(body);
    },
    async ({ origin, received }) => {
      const fetchManifest = fetcher(hereNetwork, development);
      for (const path of Object.keys(answers)) assert.is((await fetchManifest(origin + path)).ok, false, path);
      assert.equal(
        received.map(({ path }) => path),
        Object.keys(answers),
      );
      for (const url of [`${origin}/x?y`, `${origin}/x#y`, `${origin}/../x`, origin.replace('://', '://a@'), 'x', '']) {
        assert.is((await fetchManifest(url)).ok, false, url);
      }
      assert.is(received.length, Object.keys(answers).length);
    },
  );
});

test('T-01, T-06, T-56: private, loopback and own hosts are not dialled in production', async () => {
  await withReceiver(
    (_request, response) => response.writeHead(200).end(JSON.stringify(usableManifest)),
    async ({ origin, port }) => {
      const network = fakeNetwork(port, (name) => [name === 'inside.example' ? '10.0.0.1' : '93.184.215.14']);
      const fetchManifest = fetcher(network, production);
      const hosts = ['https://inside.example', 'https://papers.example', 'https://10.0.0.1', 'https://[::1]', origin];
      for (const host of hosts) assert.is((await fetchManifest(`${host}/config.json`)).ok, false, host);
      assert.equal(network.dialled, []);
      assert.is((await fetchManifest('https://notes.example/config.json')).ok, true);
    },
  );
});

test('FACT-13, T-18: deep manifests and those with dangerous names are refused', () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  assert.is(decodeManifest(Buffer.from(nested(10))).ok, true);
  assert.is(problemOf(decodeManifest(Buffer.from(nested(30_000)))), 'not a manifest');
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    assert.is(problemOf(decodeManifest(Buffer.from(`{"a":[{"${key}":{"x":1}}]}`))), 'not a manifest');
  }
  assert.is(problemOf(decodeManifest(Buffer.from([0x7b, 0xff, 0x7d]))), 'not JSON');
});

test.run();
