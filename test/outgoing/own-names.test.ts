/** Names that this machine knows by itself count for what the operator configured, without the machine's own resolving. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Network } from '../../api/outgoing/network.ts';
import { withOwnNames } from '../../api/outgoing/own-names.ts';
import { readDocument } from '../../api/outgoing/read-document.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { systemClock } from '../../runtime/clock.ts';
import { hereNetwork } from '../callbacks/receiver.ts';

const test = suite('own names');

const { signal } = new AbortController();

/** A machine with these files. Its name servers know what is listed and nothing else. */
async function withMachine(
  files: { readonly hosts?: string; readonly resolver?: string },
  known: Readonly<Record<string, string>>,
  run: (machine: { network: Network; asked: string[] }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'names-'));
  const [hosts, resolver] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  if (files.hosts !== undefined) await writeFile(hosts, files.hosts);
  if (files.resolver !== undefined) await writeFile(resolver, files.resolver);
  const asked: string[] = [];
  const servers: Network = {
    dial: hereNetwork.dial,
    async resolve(name) {
      asked.push(name);
      const address = known[name];
      if (address === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      return [address];
    },
  };
  try {
    await run({ network: withOwnNames(servers, { hosts, resolver }), asked });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const hosts = `# The machine itself
127.0.0.1\tlocalhost
10.1.2.3 login.lan login # the provider
fd00::3 LOGIN.lan
not-an-address login.lan
`;

test('the hosts file comes first, in whatever case, and every line of a name counts', () =>
  withMachine({ hosts }, { 'login.lan': '93.184.216.34', 'other.lan': '10.9.9.9' }, async ({ network, asked }) => {
    assert.equal(await network.resolve('login.lan', signal), ['10.1.2.3', 'fd00::3']);
    assert.equal(await network.resolve('login', signal), ['10.1.2.3']);
    assert.equal(asked, []);
    assert.equal(await network.resolve('other.lan', signal), ['10.9.9.9']);
    assert.equal(asked, ['other.lan']);
  }));

test('localhost is this machine, also without any file', () =>
  withMachine({}, {}, async ({ network, asked }) => {
    assert.equal(await network.resolve('localhost', signal), ['127.0.0.1', '::1']);
    assert.equal(asked, []);
    assert.is(await network.resolve('nowhere.lan', signal).catch(({ code }) => code), 'ENOTFOUND');
  }));

test('search domains complete a name as the machine would: short ones first, as many dots as it says', () => {
  const resolver = 'nameserver 10.96.0.10\nsearch auth.svc.cluster.local cluster.local\noptions timeout:2 ndots:2\n';
  const known = { 'keycloak.auth.svc.cluster.local': '10.0.0.7', 'keys.example.org': '93.184.216.34' };
  return withMachine({ hosts, resolver }, known, async ({ network, asked }) => {
    assert.equal(await network.resolve('keycloak', signal), ['10.0.0.7']);
    assert.equal(asked.splice(0), ['keycloak.auth.svc.cluster.local']);
    assert.equal(await network.resolve('keys.example.org', signal), ['93.184.216.34']);
    assert.equal(asked.splice(0), ['keys.example.org'], 'as it is written: it has dots enough');
    await network.resolve('gone.example', signal).catch(() => {});
    assert.equal(asked, ['gone.example.auth.svc.cluster.local', 'gone.example.cluster.local', 'gone.example']);
  });
});

test('a document is read from localhost and from a private address, whole and within its limits', async () => {
  const server = createServer(({ url }, response) => {
    if (url === '/long') response.end('x'.repeat(300_000));
    else response.writeHead(url === '/keys' ? 200 : 302, { location: '/keys' }).end('{"keys":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const wayOut = openWayOut({ network: withOwnNames(hereNetwork), clock: systemClock });
  try {
    for (const host of ['localhost', '127.0.0.1']) {
      assert.is(await readDocument(wayOut, `http://${host}:${port}/keys`), '{"keys":[]}');
      for (const path of ['/long', '/moved']) {
        const read = readDocument(wayOut, `http://${host}:${port}${path}`);
        assert.match(await read.catch(({ message }) => message), /too long|status 302/, path);
      }
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
