/** The home network: what an operator may admit, for whom, and what nobody ever may. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HomeEntry, homeNetworks, type OwnPlaces, readHomeEntry } from '../../api/outgoing/home-networks.ts';
import type { Network } from '../../api/outgoing/network.ts';
import { requestOnce } from '../../api/outgoing/request-once.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';
import { type Question, type Reply, withNameServer } from './name-server.ts';

const test = suite('home networks');

const own: OwnPlaces = {
  addresses: () => ['192.168.1.9', 'fd00::9'],
  listening: () => [3000, 1883],
  databases: [5432],
  hosts: () => ['papergate.lan:80', '192.168.1.7:9000'],
};

const entriesOf = (text: string): HomeEntry[] =>
  text.split(',').map((written) => {
    const entry = readHomeEntry(written);
    if ('mistake' in entry) throw new Error(`${written} ${entry.mistake}`);
    return entry;
  });

const homeOf = (text: string, notFor: readonly string[] = []) =>
  homeNetworks({ entries: entriesOf(text), notFor, own });

/** Returns whether a request for a host and a port dials an address. */
const admits = (text: string, address: string, hostname: string, port: number, organization = 'house'): boolean => {
  const { rule } = homeOf(text, ['guests']).watch(organization);
  return rule.mayDial(address, { hostname, port, secure: false });
};

test('T-91: networks, hosts and ports are read, and a malformed entry refuses the start with a sentence', () => {
  const read = readSettings({
    PAPERGATE_HOME_NETWORKS: '192.168.1.0/24, NAS.lan:5000,fd00::/8,[fd00::5]:8123,10.0.0.5',
  });
  assert.equal(read.PAPERGATE_HOME_NETWORKS, [
    { address: '192.168.1.0', prefix: 24 },
    { name: 'nas.lan', port: 5000 },
    { address: 'fd00::', prefix: 8 },
    { address: 'fd00::5', prefix: 128, port: 8123 },
    { address: '10.0.0.5', prefix: 32 },
  ]);
  assert.equal(readSettings({}).PAPERGATE_HOME_NETWORKS, []);
  for (const bad of [
    ...['127.0.0.1', '127.0.0.0/8', '::1', '169.254.0.0/16', '169.254.169.254', 'fe80::/10', '0.0.0.0/0', '::/0'],
    ...['10.0.0.0/7', '192.168.0.0/15', '100.100.100.200', 'fd00:ec2::254', '::ffff:127.0.0.1', '93.184.216.34'],
    ...['localhost', 'a.localhost', 'metadata.google.internal', 'x.onion', 'nas lan', 'http://nas.lan', 'nas.lan:0'],
    ...[
      'nas.lan:65536',
      'nas.lan/24',
      '192.168.1.0/33',
      '*',
      '*.lan',
      '',
      '192.168.1.0/',
      'fe80::1%eth0',
      '192.168.1.1-9',
    ],
  ]) {
    assert.throws(
      () => readSettings({ PAPERGATE_HOME_NETWORKS: `192.168.1.0/24,${bad}` }),
      (error: Error) => error.message.includes(`PAPERGATE_HOME_NETWORKS: "${bad}" `),
      bad,
    );
  }
  assert.throws(() => readSettings({ PAPERGATE_HOME_NETWORKS_NOT_FOR: 'somebody' }), /not an id of an organization/);
  const id = 'a'.repeat(24);
  assert.equal(readSettings({ PAPERGATE_HOME_NETWORKS_NOT_FOR: id }).PAPERGATE_HOME_NETWORKS_NOT_FOR, [id]);
});

test('T-91: what is named is dialled, at its port, for organizations that are not excluded, and nothing else', () => {
  assert.ok(admits('192.168.1.0/24', '192.168.1.5', '192.168.1.5', 8123));
  assert.ok(admits('192.168.1.0/24', '192.168.1.5', 'cloud.example', 443));
  assert.not.ok(admits('192.168.1.0/24', '192.168.2.5', '192.168.2.5', 80));
  assert.not.ok(admits('192.168.1.0/24', '192.168.1.5', '192.168.1.5', 80, 'guests'));
  assert.ok(admits('192.168.1.5:8123', '192.168.1.5', '192.168.1.5', 8123));
  assert.not.ok(admits('192.168.1.5:8123', '192.168.1.5', '192.168.1.5', 22));
  assert.ok(admits('nas.lan:5000', '10.1.2.3', 'nas.lan', 5000));
  assert.ok(admits('nas.lan', '10.1.2.3', 'nas.lan.', 1));
  assert.not.ok(admits('nas.lan:5000', '10.1.2.3', '10.1.2.3', 5000), 'the address of a host that is named');
  assert.not.ok(admits('nas.lan:5000', '10.1.2.3', 'other.lan', 5000));
  assert.ok(admits('fd00::/8', 'fd12::1', '[fd12::1]', 80));
  const { rule } = homeOf('nas:80,tv.local').watch('house');
  const at = (name: string, port: number): boolean => rule.mayResolve(name, { hostname: name, port, secure: false });
  assert.equal(
    [at('nas', 80), at('nas', 81), at('tv.local', 5), at('x.local', 5), at('a.example', 5)],
    [true, false, true, false, true],
  );
});

test('T-91: loopback, link-local, metadata, and what is the service’s own are never dialled, whatever is named', () => {
  const all = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7,evil.lan,papergate.lan';
  for (const address of [
    ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '169.254.1.1', '100.100.100.200', '168.63.129.16'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254', 'fd00:0ec2:0:0::0254', 'fd20:ce::254', 'ff02::1'],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:192.168.1.5',
      '64:ff9b::c0a8:105',
      '2002:c0a8:105::',
      'fd00::5efe:7f00:1',
      '224.0.0.1',
    ],
    ...['255.255.255.255', '240.0.0.1', 'not an address', ''],
  ]) {
    assert.not.ok(admits(all, address, 'evil.lan', 80), address);
    assert.not.ok(admits(all, address, address, 80), address);
  }
  assert.not.ok(admits(all, '192.168.1.9', '192.168.1.9', 3000), 'its own listener');
  assert.not.ok(admits(all, 'fd00::9', 'evil.lan', 1883), 'its own listener, by name');
  assert.ok(admits(all, '192.168.1.9', '192.168.1.9', 8123), 'another program on this machine');
  assert.not.ok(admits(all, '192.168.1.4', 'evil.lan', 5432), 'the database');
  assert.not.ok(admits(all, '192.168.1.8', 'papergate.lan', 80), 'its own name');
  assert.not.ok(admits(all, '192.168.1.7', '192.168.1.7', 9000), 'its object store');
});

test('T-03, T-91: of a name its admitted addresses are dialled and no others, and callbacks never reach the house', async () => {
  await withReceiver(
    (_request, response) => response.writeHead(204).end(),
    async ({ port, received }) => {
      const answers: Record<string, string[]> = {
        'home.example': ['192.168.1.5', '192.168.1.6'],
        'mixed.example': ['192.168.1.5', '93.184.216.34'],
        'other.example': ['93.184.216.34', '192.168.1.5'],
        'partly.example': ['fe80::1', '192.168.1.5', '127.0.0.1'],
        'router.example': ['192.168.2.7', 'fd00::20', '2606:2800::34'],
        'metadata.example': ['169.254.169.254', '93.184.216.34'],
      };
      const network = fakeNetwork(port, (name) => answers[name] ?? []);
      const wayOut = openWayOut({ network, clock: handClock() });
      const ask = async (host: string, isCallback = false): Promise<string> => {
        const { rule } = homeOf('192.168.1.0/24').watch('house');
        const outcome = await requestOnce(wayOut, {
          sharer: ['house'],
          url: `${isCallback ? 'https' : 'http'}://${host}/`,
          method: 'GET',
          headers: {},
          allowLoopback: false,
          allowPlain: true,
          ...(!isCallback && { rule }),
          readLimitBytes: 0,
        });
        return outcome.kind === 'problem' ? wordsOf(outcome.problem) : String(outcome.status);
      };
      assert.is(await ask('home.example'), '204');
      const said =
        'the address is not public, and the operator’s setting PAPERGATE_HOME_NETWORKS does not allow it here';
      const add = `${said}: the operator can add the host or its network to it`;
      assert.is(await ask('192.168.2.1'), add);
      assert.is(await ask('nas'), add);
      assert.is(await ask('127.0.0.1'), 'the address is not public');
      assert.is(await ask('localhost'), 'the host name is not a public name');
      for (const host of ['mixed.example', 'other.example', 'partly.example']) assert.is(await ask(host), '204', host);
      // Without an admitted one, one that is not public spoils all.
      assert.is(await ask('router.example'), add);
      assert.is(await ask('metadata.example'), 'the host name has an address that is not public');
      for (const host of ['home.example', '192.168.1.5', 'mixed.example', 'partly.example'])
        assert.match(await ask(host, true), /not public/, host);
      assert.is(received.length, 4);
      assert.equal(
        network.dialled.map(({ address }) => address),
        Array.from({ length: 4 }, () => '192.168.1.5'),
      );
    },
  );
});

test('T-91: a house with IPv6 is admitted by a host or by a network, each of its addresses in turn', async () => {
  await withReceiver(
    (_request, response) => response.writeHead(204).end(),
    async ({ port }) => {
      const answers = ['2003:e4::20', 'fd00::20', '192.168.1.20'];
      const dialledBy = async (entries: string, unreachable: readonly string[] = []): Promise<string[]> => {
        const network = fakeNetwork(port, () => answers, { unreachable });
        const { rule, isHome } = homeOf(entries).watch('house');
        const outcome = await requestOnce(openWayOut({ network, clock: handClock() }), {
          sharer: ['house'],
          url: 'http://nas.fritz.box:8090/',
          method: 'GET',
          headers: {},
          rule,
          allowLoopback: false,
          allowPlain: true,
          readLimitBytes: 0,
        });
        assert.is(outcome.kind, 'answer', entries);
        assert.ok(isHome(), entries);
        return network.dialled.map(({ address }) => address);
      };
      assert.equal(await dialledBy('nas.fritz.box:8090'), ['192.168.1.20']);
      assert.equal(await dialledBy('nas.fritz.box', ['192.168.1.20']), ['192.168.1.20', 'fd00::20']);
      assert.equal(await dialledBy('192.168.1.0/24'), ['192.168.1.20']);
      assert.equal(await dialledBy('fd00::/8'), ['fd00::20']);
    },
  );
});

test('T-91: names with underscores are those of containers, for an entry and for a network', () => {
  assert.equal(entriesOf('home_assistant:8123,_a.b_c,192.168.1.0/24'), [
    { name: 'home_assistant', port: 8123 },
    { name: '_a.b_c' },
    { address: '192.168.1.0', prefix: 24 },
  ]);
  const { rule } = homeOf('home_assistant:8123').watch('house');
  const at = (name: string, port: number): boolean => rule.mayResolve(name, { hostname: name, port, secure: false });
  assert.equal(
    [at('home_assistant', 8123), at('home_assistant', 1), at('my_feed.example', 80), at('_x', 80)],
    [true, false, true, false],
  );
});

const knownOnly = ({ name, type }: Question): Reply =>
  name === 'me.lan' ? (type === 'A' ? ['192.168.1.9'] : []) : 'NXDOMAIN';

/** Asks a host of a machine that has this `hosts` file, and returns what was dialled, or the code of why nothing was. */
async function askedOn(hosts: string, entries: string, url: string, organization = 'house'): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  const files = { hosts: join(folder, 'hosts'), resolver: join(folder, 'resolv.conf') };
  await writeFile(files.hosts, hosts);
  try {
    return await withNameServer(knownOnly, async ({ address: nameServer }) => {
      const dialled: string[] = [];
      const here = systemNetwork({ clock: systemClock, nameServers: [nameServer], nameFiles: files });
      const dial: Network['dial'] = async ({ address }) => {
        dialled.push(address);
        throw new Error('nobody');
      };
      const { rule } = homeOf(entries, ['guests']).watch(organization);
      const outcome = await requestOnce(openWayOut({ network: { ...here, dial }, clock: systemClock }), {
        sharer: [organization],
        url,
        method: 'GET',
        headers: {},
        rule,
        allowLoopback: false,
        allowPlain: true,
        readLimitBytes: 0,
      });
      if (outcome.kind === 'answer' || dialled.length > 0) return dialled;
      return [outcome.problem].flat().map(({ code }) => code);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('T-91: names that the hosts file alone knows are found, for those who may ask the house', async () => {
  const hosts = '192.168.1.20 inhosts.lan\n192.168.1.21 host.docker.internal\n127.0.1.1 me.lan\n127.0.0.1 evil.lan\n';
  assert.equal(await askedOn(hosts, 'inhosts.lan:8090', 'http://inhosts.lan:8090/'), ['192.168.1.20']);
  assert.equal(await askedOn(hosts, '192.168.1.0/24', 'http://inhosts.lan/'), ['192.168.1.20']);
  assert.equal(await askedOn(hosts, 'host.docker.internal', 'http://host.docker.internal/'), ['192.168.1.21']);
  // What the machine calls itself is not a place; the name servers know another.
  assert.equal(await askedOn(hosts, 'me.lan', 'http://me.lan/'), ['192.168.1.9']);
  assert.equal(await askedOn(hosts, 'evil.lan', 'http://evil.lan/'), ['host-address-not-public']);
  assert.equal(await askedOn(hosts, '192.168.1.0/24', 'http://inhosts.lan/', 'guests'), ['network-name-unknown']);
});

test.run();
