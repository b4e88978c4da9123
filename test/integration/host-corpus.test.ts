/**
 * The corpus of hosts through every entry that takes a host from outside (the four URLs of an integration, the fetch of
 * a manifest, the callback, the rendered page) and at every layer: the URL as it is written, the resolver, the socket.
 * Names are resolved by a fake, and what is dialled leads to a receiver on loopback: nothing leaves this machine.
 */
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { manifestFetcher } from '../../api/integration/fetch-manifest.ts';
import { readUrl, resolveIntegration, type UrlRules } from '../../api/integration/saved-urls.ts';
import type { DialTarget } from '../../api/outgoing/network.ts';
import { isPublicAddress } from '../../api/outgoing/public-address.ts';
import { NoWay, reachHost } from '../../api/outgoing/reach-host.ts';
import { requestOnce } from '../../api/outgoing/request-once.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { fakeNetwork, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { corpusAddresses, hostCorpus } from '../outgoing/host-corpus.ts';
import { handClock, usableManifest } from './integration-world.ts';

const test = suite('host corpus');

const rules: UrlRules = { production: true, allowLocalhost: false, publicHosts: ['papers.example'] };
const clock = handClock();
const publicAddress = '93.184.215.14';

const withManifests = (run: (receiver: Receiver) => Promise<void>): Promise<void> =>
  withReceiver((_request, response) => response.end(JSON.stringify(usableManifest)), run);

/** Whether an integration may be saved with this host: public, and written plainly (raw-URL rules 1 and 4). */
const maySave = ({ host, verdict }: (typeof hostCorpus)[number]): boolean =>
  (verdict === 'address' || verdict === 'name') && /^[\x21-\x7e]+$/.test(host) && !host.endsWith('.');

test('T-01, T-05: the manifest, settings, render and callback URLs', () => {
  const accepted = hostCorpus.filter(maySave);
  assert.ok(accepted.length >= 70);
  for (const entry of hostCorpus) {
    const url = `https://${entry.host}/cb`;
    const saved = resolveIntegration({ configUrl: url, manifest: usableManifest }, rules);
    assert.is(saved.ok, maySave(entry), `manifest ${entry.host}`);
    const absolute = { settingsPage: url, renderPage: url, capabilities: { contentPush: { callbackPath: url } } };
    for (const [field, value] of Object.entries(absolute)) {
      const manifest = { ...usableManifest, [field]: value };
      assert.is(resolveIntegration({ configUrl: url, manifest }, rules).ok, maySave(entry), `${field} ${entry.host}`);
    }
    // On a manifest of that very origin, so that nothing but the host itself can be the reason.
    if (entry.parsed === undefined) continue;
    assert.is(readUrl(url, new URL(url), rules).ok, maySave(entry), `alone ${entry.host}`);
  }
});

test('T-01, T-02: what the manifest fetch and the callback dial is the public address itself, and nothing else', () =>
  withManifests(async ({ port, received }) => {
    for (const entry of hostCorpus) {
      const { host, verdict, parsed } = entry;
      const url = `https://${host}/cb`;
      const network = fakeNetwork(port, () => [publicAddress]);
      const fetched = await manifestFetcher({ wayOut: openWayOut({ network, clock }), rules })(url, 'house');
      assert.is(fetched.ok, maySave(entry), `fetch ${host}`);
      const posted = fakeNetwork(port, () => [publicAddress]);
      const request = {
        sharer: ['house'],
        url,
        method: 'POST',
        headers: {},
        body: '{}',
        readLimitBytes: 0,
        allowLoopback: false,
      } as const;
      const outcome = await requestOnce(openWayOut({ network: posted, clock }), request);
      const isPublic = verdict === 'address' || verdict === 'name';
      assert.is(outcome.kind, isPublic ? 'answer' : 'problem', `callback ${host}`);
      const expected = verdict === 'address' ? [parsed?.replace(/^\[|\]$/g, '')] : [publicAddress];
      for (const { dialled, isUsed } of [
        { dialled: posted.dialled, isUsed: isPublic },
        { dialled: network.dialled, isUsed: maySave(entry) },
      ]) {
        assert.equal(
          dialled.map(({ address }) => address.replace(/^\[|\]$/g, '')),
          isUsed ? expected : [],
          host,
        );
      }
    }
    assert.ok(received.length > 150);
  }));

test('T-03: the same addresses as a resolver gives them, alone or next to a public one', () =>
  withManifests(async ({ port, received }) => {
    const request = {
      sharer: ['house'],
      url: 'https://cb.example/',
      method: 'GET',
      headers: {},
      readLimitBytes: 0,
      allowLoopback: false,
    } as const;
    for (const address of corpusAddresses('refused')) {
      for (const answers of [[address], [publicAddress, address], [address, publicAddress]]) {
        const network = fakeNetwork(port, () => answers);
        assert.is((await requestOnce(openWayOut({ network, clock }), request)).kind, 'problem', answers.join());
        assert.equal(network.dialled, [], answers.join());
      }
    }
    assert.equal(received, []);
    for (const address of corpusAddresses('address')) {
      const network = fakeNetwork(port, () => [address]);
      assert.is((await requestOnce(openWayOut({ network, clock }), request)).kind, 'answer', address);
    }
  }));

test('T-02: a socket that says it is connected to one of them is destroyed before a header is written', () =>
  withManifests(async ({ port, received }) => {
    const request = {
      sharer: ['house'],
      url: 'https://cb.example/',
      method: 'GET',
      headers: {},
      readLimitBytes: 0,
      allowLoopback: false,
    } as const;
    for (const remote of corpusAddresses('refused')) {
      const network = fakeNetwork(port, () => [publicAddress], { remote });
      assert.is((await requestOnce(openWayOut({ network, clock }), request)).kind, 'problem', remote);
      assert.is(network.dialled.length, 1);
    }
    assert.equal(received, []);
  }));

test('T-07: a rendered page, by literal and by name', () =>
  withManifests(async ({ port }) => {
    const dialled: string[] = [];
    const reach = async (hostname: string, answers: readonly string[]): Promise<string> => {
      const network = {
        resolve: async () => answers,
        dial: async ({ address }: DialTarget): Promise<Socket> => {
          dialled.push(address);
          const socket = connect(port, '127.0.0.1');
          return Object.defineProperty(socket, 'remoteAddress', { value: address });
        },
      };
      const rule = { mayResolve: () => true, mayDial: isPublicAddress };
      const { signal } = new AbortController();
      try {
        const way = await reachHost({ network, clock }, { hostname, port: 443, secure: false }, rule, signal);
        way.destroy();
        return 'dialled';
      } catch (error) {
        return error instanceof NoWay && error.isForbidden ? 'forbidden' : 'unreachable';
      }
    };
    for (const address of corpusAddresses('refused')) {
      const literal = address.includes(':') ? `[${address}]` : address;
      for (const name of [literal, 'notes.example']) assert.is(await reach(name, [address]), 'forbidden', address);
      assert.is(await reach('notes.example', [publicAddress, address]), 'forbidden', address);
    }
    assert.equal(dialled, []);
    for (const address of corpusAddresses('address')) {
      const literal = address.includes(':') ? `[${address}]` : address;
      for (const name of [literal, 'notes.example']) assert.is(await reach(name, [address]), 'dialled', address);
      assert.equal(dialled.splice(0), [address, address]);
    }
  }));

test.run();
