import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPageGuard, type Passage } from '../../api/browser/page-guard.ts';
import type { Network } from '../../api/outgoing/network.ts';
import type { AddressRule } from '../../api/outgoing/reach-host.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { dialHere, wayHere } from './render-world.ts';

const test = suite('page guard');

const publicAddress = '93.184.216.34';
const rule: AddressRule = {
  mayResolve: (name) => name.endsWith('.example'),
  mayDial: (address) => address === publicAddress,
};

/** A target on loopback that stands in for every address, and the record of what was really asked of the network. */
interface Site {
  readonly port: number;
  readonly passage: Passage;
  readonly resolved: string[];
  readonly dialled: string[];
}

async function withSite(answers: Record<string, string[][]>, run: (site: Site) => Promise<void>): Promise<void> {
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => response.end(`${incoming.headers.host}${incoming.url}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const resolved: string[] = [];
  const dialled: string[] = [];
  const network: Network = {
    resolve: async (name) => {
      resolved.push(name);
      return answers[name]?.shift() ?? [];
    },
    dial: (target, signal) => {
      dialled.push(target.address);
      return dialHere({ ...target, port }, signal);
    },
  };
  const passage = await createPageGuard({ rule, wayOut: wayHere(network) }).open();
  try {
    await run({ port, passage, resolved, dialled });
  } finally {
    await passage.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Asks the proxy for a URL as a browser does; the status and body of the answer. */
async function ask(passage: Passage, url: string, method = 'GET'): Promise<{ status: number; body: string }> {
  const asking = request(passage.proxyServer, { path: url, method, agent: false });
  asking.end();
  const [response] = (await once(asking, 'response')) as [import('node:http').IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode ?? 0, body };
}

/** Asks the proxy for a tunnel; the status of the answer. */
async function tunnel(passage: Passage, target: string): Promise<number> {
  const asking = request(passage.proxyServer, { method: 'CONNECT', path: target, agent: false });
  asking.end();
  const [response, socket] = (await once(asking, 'connect')) as [{ statusCode: number }, Socket];
  socket.destroy();
  return response.statusCode;
}

test('a public name is resolved once and its checked address is dialled', () =>
  withSite({ 'site.example': [[publicAddress], ['127.0.0.1']] }, async ({ passage, resolved, dialled }) => {
    const { status, body } = await ask(passage, 'http://site.example/page?q=1');
    assert.is(status, 200);
    assert.is(body, 'site.example/page?q=1');
    assert.equal([resolved, dialled], [['site.example'], [publicAddress]]);
    assert.is(await tunnel(passage, 'site.example:443'), 403, 'T-02: the name now points inside');
    assert.equal(dialled, [publicAddress], 'T-02: nothing inside was dialled');
    assert.equal([...passage.failedHosts()], [['site.example', 'forbidden']]);
  }));

test('T-03: one answer that is not public refuses the name', () =>
  withSite(
    {
      'mixed.example': [[publicAddress, '10.0.0.1']],
      'six.example': [[publicAddress, '::1']],
      'odd.example': [[publicAddress, 'not-an-address']],
      'zone.example': [['fe80::1%eth0']],
    },
    async ({ passage, dialled }) => {
      for (const name of ['mixed', 'six', 'odd', 'zone']) {
        assert.is((await ask(passage, `http://${name}.example/`)).status, 403, name);
      }
      assert.is((await ask(passage, 'http://nobody.example/')).status, 502, 'a name without answers');
      assert.is(passage.failedHosts().get('nobody.example'), 'unreachable');
      assert.equal(dialled, []);
    },
  ));

test('T-07: literals in every spelling are checked as addresses, in requests and in tunnels', () =>
  withSite({}, async ({ port, passage, resolved, dialled }) => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
      '169.254.169.254',
    ];
    for (const host of hosts) {
      assert.is((await ask(passage, `http://${host}:${port}/`)).status, 403, host);
      assert.is(await tunnel(passage, `${host}:${port}`), 403, host);
    }
    assert.equal([resolved, dialled], [[], []]);
  }));

test('a name for local networks is not even looked up', () =>
  withSite({ router: [[publicAddress]] }, async ({ passage, resolved }) => {
    assert.is((await ask(passage, 'http://router/')).status, 403);
    assert.is(await tunnel(passage, 'router:443'), 403);
    assert.equal(resolved, []);
  }));

test('the development origin is one host and port, and must lie on loopback', () =>
  withSite({ 'dev.example': [['10.0.0.1']], 'inside.example': [['127.0.0.1']] }, async ({ port, passage, dialled }) => {
    passage.allow({ origin: new URL(`http://127.0.0.1:${port}`) });
    assert.is((await ask(passage, `http://127.0.0.1:${port}/a`)).status, 200);
    assert.is(await tunnel(passage, `127.0.0.1:${port}`), 200, 'WebSockets of the origin');
    assert.is((await ask(passage, `http://127.0.0.1:${port + 1}/a`)).status, 403, 'another port');
    assert.is((await ask(passage, `http://127.0.0.2:${port}/a`)).status, 403, 'another host');
    passage.allow({ origin: new URL('http://dev.example') });
    assert.is((await ask(passage, 'http://dev.example/')).status, 403, 'not on loopback');
    assert.equal(dialled, ['127.0.0.1', '127.0.0.1']);
  }));

/** A passage whose names are never answered, and the look-ups that are under way and were begun. */
async function withSilence(
  run: (deps: { passage: Passage; lookUps: { underWay: number; begun: number } }) => Promise<void>,
): Promise<void> {
  const lookUps = { underWay: 0, begun: 0 };
  const resolve: Network['resolve'] = (_name, signal) =>
    new Promise((_, reject) => {
      lookUps.underWay++;
      lookUps.begun++;
      signal.addEventListener('abort', () => {
        lookUps.underWay--;
        reject(signal.reason);
      });
    });
  const passage = await createPageGuard({ rule, wayOut: wayHere({ resolve }) }).open();
  try {
    await run({ passage, lookUps });
  } finally {
    await passage.close();
  }
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

test('T-65: of the names that nobody answers 16 are looked up at once, and none once the render has ended', () =>
  withSilence(async ({ passage, lookUps }) => {
    const asked = Array.from({ length: 60 }, (_, each) =>
      ask(passage, `http://silent${each}.example/`).catch(() => undefined),
    );
    await until(() => lookUps.underWay === 16);
    await passage.close();
    await Promise.all(asked);
    assert.equal(lookUps, { underWay: 0, begun: 16 });
  }));

test('T-65: a look-up ends with the request that wanted it', () =>
  withSilence(async ({ passage, lookUps }) => {
    const asking = request(passage.proxyServer, { path: 'http://silent.example/', agent: false });
    asking.on('error', () => {});
    asking.end();
    await until(() => lookUps.underWay === 1);
    asking.destroy();
    await until(() => lookUps.underWay === 0);
    assert.is(passage.failedHosts().size, 0, 'it did not fail: nobody waited for it');
  }));

test('T-65: a page that names more than 128 hosts gets no way to the further ones', () => {
  const names = Array.from({ length: 130 }, (_, each) => `host${each}.example`);
  const answers = Object.fromEntries(names.map((name) => [name, [[publicAddress], [publicAddress]]]));
  return withSite(answers, async ({ passage, resolved }) => {
    for (const [at, name] of names.entries()) {
      assert.is((await ask(passage, `http://${name}/`)).status, at < 128 ? 200 : 403, name);
    }
    assert.is(await tunnel(passage, 'host0.example:443'), 200, 'a host that it named before');
    assert.is(resolved.length, 129);
    assert.equal(
      [...passage.failedHosts()],
      [
        ['host128.example', 'too many'],
        ['host129.example', 'too many'],
      ],
    );
  });
});

test('R-14: one render makes at most 500 requests', () =>
  withSite({}, async ({ port, passage, dialled }) => {
    passage.allow({ origin: new URL(`http://127.0.0.1:${port}`) });
    for (let asked = 0; asked < 500; asked++) await ask(passage, `http://127.0.0.1:${port}/`);
    assert.is((await ask(passage, `http://127.0.0.1:${port}/`)).status, 403);
    assert.is(dialled.length, 500);
  }));

test('R-14: what a page moves is bounded, in both directions', () =>
  withSite({}, async ({ port, passage }) => {
    passage.allow({ origin: new URL(`http://127.0.0.1:${port}`) });
    const sending = request(passage.proxyServer, { path: `http://127.0.0.1:${port}/`, method: 'POST', agent: false });
    sending.on('error', () => {});
    const over = new Promise((resolve) => sending.once('close', resolve).once('response', resolve));
    const chunk = Buffer.alloc(1 << 20);
    for (let sent = 0; sent < 80; sent++) sending.write(chunk);
    sending.end();
    await over;
    sending.destroy();
    assert.equal(passage.exceeded(), reasonOf('page-moves-much', { most: 64 }));
    assert.is((await ask(passage, `http://127.0.0.1:${port}/`)).status, 403, 'nothing more is let through');
  }));

test('an answer that makes no sense ends its own connection, and the guard goes on', async () => {
  const odd = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (asked) => {
      const path = asked.toString('latin1').split(' ')[1] ?? '';
      socket.end(Buffer.from(answers[path] ?? 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 'latin1'));
    });
  });
  const answers: Record<string, string> = {
    '/status': 'HTTP/1.1 099 Odd\r\n\r\n',
    '/garbage': '\0\x01\x02 not HTTP',
    '/switch': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    '/header': `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
    '/control': 'HTTP/1.1 200 OK\r\nx: a\x01b\r\ncontent-length: 0\r\n\r\n',
    '/short': 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort',
  };
  odd.listen(0, '127.0.0.1');
  await once(odd, 'listening');
  const { port } = odd.address() as AddressInfo;
  const passage = await createPageGuard({ rule, wayOut: wayHere() }).open();
  try {
    passage.allow({ origin: new URL(`http://127.0.0.1:${port}`) });
    for (const path of Object.keys(answers)) {
      const outcome = await ask(passage, `http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => 'ended',
      );
      assert.is(outcome === 'ended' || outcome === 502, true, `${path}: ${outcome}`);
    }
    assert.equal(await ask(passage, `http://127.0.0.1:${port}/`), { status: 200, body: 'ok' });
  } finally {
    await passage.close();
    odd.close();
  }
});

test('a client that does not speak to a proxy is not answered', () =>
  withSite({}, async ({ passage }) => {
    for (const path of [
      '/',
      '/etc/passwd',
      'file:///etc/passwd',
      'https://site.example/',
      'http://u:p@site.example/',
    ]) {
      assert.is((await ask(passage, path)).status, 400, path);
    }
    assert.is(await tunnel(passage, 'u:p@site.example:443'), 400);
  }));

test.run();
