/** Outgoing requests against every resolver answer, with a network that records what would have been dialled. */

import { connect as connectPlain } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Network } from '../../api/outgoing/network.ts';
import { type RequestOutcome, requestOnce } from '../../api/outgoing/request-once.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('request once');

const post = {
  sharer: ['house'],
  url: 'https://cb.example/hook',
  method: 'POST',
  headers: {},
  body: '{}',
  readLimitBytes: 0,
} as const;

const ask = (network: Network, more: Partial<Parameters<typeof requestOnce>[1]> = {}): Promise<RequestOutcome> =>
  requestOnce(openWayOut({ network, clock: handClock() }), { ...post, allowLoopback: false, ...more });

const withOk = (run: (receiver: Receiver) => Promise<void>): Promise<void> =>
  withReceiver((_request, response) => response.writeHead(204).end(), run);

const problemOf = (outcome: RequestOutcome): string =>
  outcome.kind === 'problem' ? wordsOf(outcome.problem) : `answer ${outcome.status}`;

test('one public address is dialled on port 443 under the name, and the Host header keeps the name', async () => {
  await withOk(async ({ port, received }) => {
    const network = fakeNetwork(port, () => ['93.184.215.14']);
    assert.is(problemOf(await ask(network)), 'answer 204');
    assert.equal(network.dialled, [{ address: '93.184.215.14', port: 443, secure: true, servername: 'cb.example' }]);
    assert.equal([received[0]?.headers.host, received[0]?.path, received[0]?.body], ['cb.example', '/hook', '{}']);
  });
});

test('T-03: any answer that is not public spoils all of them, and nothing is dialled', async () => {
  const sets: readonly (readonly string[])[] = [
    ['93.184.215.14', '10.0.0.1'],
    ['93.184.215.14', '::1'],
    ['127.0.0.1'],
    ['0.0.0.0'],
    ['255.255.255.255'],
    ['224.0.0.1'],
    ['240.0.0.1'],
    ['100.64.0.1'],
    ['198.18.0.1'],
    ['169.254.169.254'],
    ['168.63.129.16'],
    ['172.16.0.1', '93.184.215.14'],
    ['::ffff:127.0.0.1'],
    ['::ffff:93.184.215.14'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::1'],
    ['fd00::1'],
    ['fe80::1%eth0'],
    ['2600::5efe:10.0.0.1'],
    ['not an address'],
    [''],
    [],
    Array.from({ length: 1_000 }, (_, index) => `93.184.${index >> 8}.${index & 255}`),
  ];
  await withOk(async ({ port, received }) => {
    for (const answers of sets) {
      const network = fakeNetwork(port, () => answers);
      assert.is((await ask(network)).kind, 'problem', answers.join());
      assert.equal(network.dialled, []);
    }
    assert.equal(received, []);
  });
});

test('T-02: over 100 attempts of a rebinding name only the checked address is ever dialled', async () => {
  await withOk(async ({ port }) => {
    const network = fakeNetwork(port, (_name, attempt) => [attempt % 2 === 1 ? '93.184.215.14' : '127.0.0.1']);
    for (let attempt = 1; attempt <= 100; attempt++) {
      const outcome = await ask(network);
      assert.is(outcome.kind, attempt % 2 === 1 ? 'answer' : 'problem');
      assert.is(network.resolved.length, attempt, 'one look-up for each attempt');
    }
    assert.is(network.dialled.length, 50);
    assert.ok(network.dialled.every(({ address }) => address === '93.184.215.14'));
  });
});

test('FACT-07: literals are checked without a look-up, and a private one is not dialled', async () => {
  await withOk(async ({ port }) => {
    const network = fakeNetwork(port, () => ['93.184.215.14']);
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:7f00:1]', '10.0.0.1', 'localhost']) {
      assert.is((await ask(network, { url: `https://${host}/hook` })).kind, 'problem', host);
    }
    assert.equal([network.dialled, network.resolved], [[], []]);
    assert.is((await ask(network, { url: 'https://93.184.215.14/hook' })).kind, 'answer');
    assert.equal(network.dialled, [{ address: '93.184.215.14', port: 443, secure: true }]);
    assert.equal(network.resolved, []);
  });
});

test('only HTTPS on port 443 leaves for the internet', async () => {
  await withOk(async ({ port }) => {
    const network = fakeNetwork(port, () => ['93.184.215.14']);
    for (const url of ['http://cb.example/hook', 'https://cb.example:8443/hook', 'ftp://cb.example/', 'nonsense']) {
      assert.is((await ask(network, { url })).kind, 'problem', url);
    }
    assert.equal([network.dialled, network.resolved], [[], []]);
  });
});

test('another checked address is taken when the first cannot be reached', async () => {
  await withOk(async ({ port }) => {
    const unreachable = ['93.184.215.14', '2606:2800::1'];
    const network = fakeNetwork(port, () => ['2606:2800::1', '2606:2800::2', '93.184.215.14'], { unreachable });
    assert.is((await ask(network)).kind, 'answer');
    assert.equal(
      network.dialled.map(({ address }) => address),
      ['93.184.215.14', '2606:2800::1', '2606:2800::2'],
    );
    const cut = fakeNetwork(port, () => unreachable, { unreachable });
    assert.is(problemOf(await ask(cut)), 'network error: ENETUNREACH');
  });
});

test('T-02: a socket connected elsewhere than dialled is destroyed before a header is written', async () => {
  await withOk(async ({ port, received }) => {
    const network = fakeNetwork(port, () => ['93.184.215.14'], { remote: '127.0.0.1' });
    assert.is(problemOf(await ask(network)), 'the connection led to a different address than the one that was checked');
    assert.equal(received, []);
  });
});

test('another port than 443 is dialled where any will do, and the addresses are judged alike', async () => {
  await withOk(async ({ port }) => {
    const network = fakeNetwork(port, (name) => (name === 'inside.example' ? ['10.0.0.1'] : ['93.184.215.14']));
    const url = 'https://cb.example:8443/hook';
    assert.is(problemOf(await ask(network, { url })), 'not on port 443');
    assert.is(problemOf(await ask(network, { url, anyPort: true })), 'answer 204');
    assert.equal(
      network.dialled.map(({ address, port: dialled, secure }) => [address, dialled, secure]),
      [['93.184.215.14', 8443, true]],
    );
    for (const wrong of [
      'http://cb.example:8443/hook',
      'https://inside.example:8443/hook',
      'https://127.0.0.1:8443/x',
    ]) {
      assert.is((await ask(network, { url: wrong, anyPort: true })).kind, 'problem', wrong);
    }
    assert.is(network.dialled.length, 1);
  });
});

test('A-30: loopback is dialled only when it is allowed', async () => {
  await withOk(async ({ origin, port }) => {
    const network = fakeNetwork(port, () => []);
    assert.is((await ask(network, { url: `${origin}/hook` })).kind, 'problem');
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      assert.is((await ask(network, { url: `http://${host}:${port}/hook`, allowLoopback: true })).kind, 'answer', host);
    }
    assert.equal(
      network.dialled.map(({ address }) => address),
      ['127.0.0.1', '127.0.0.1', '::1'],
    );
    for (const url of [`http://127.0.0.2:${port}/`, `http://10.0.0.1:${port}/`, `http://cb.example:${port}/`]) {
      assert.is((await ask(network, { url, allowLoopback: true })).kind, 'problem', url);
    }
    assert.is(network.dialled.length, 3);
  });
});

test('a silent name server is given up after 15 s, a refusing one at once', async () => {
  const clock = handClock();
  const silent: Network = { resolve: () => new Promise(() => {}), dial: () => Promise.reject(new Error('unasked')) };
  const outcome = requestOnce(openWayOut({ network: silent, clock }), { ...post, allowLoopback: false });
  clock.passes(14_999);
  assert.is(await Promise.race([outcome, Promise.resolve('under way')]), 'under way');
  clock.passes(1);
  assert.is(problemOf(await outcome), 'no answer within 15 s');
  const refusing = { ...silent, resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) };
  assert.is(problemOf(await ask(refusing)), 'no name server knows this host (ENOTFOUND)');
});

test('T-54: a connection that is cut, or that never was HTTP, is a problem and not a fault', async () => {
  const answers = [
    '',
    'SMTP ready\r\n',
    'HTTP/1.1 200',
    'HTTP/1.1 100 Continue\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`,
  ];
  for (const answer of answers) {
    await withReceiver(
      (_request, response) => response.socket?.end(answer),
      async ({ port }) => {
        const network = fakeNetwork(port, () => ['93.184.215.14']);
        assert.is((await ask(network)).kind, 'problem', JSON.stringify(answer.slice(0, 40)));
        assert.is(network.dialled.length, 1, 'not dialled a second time');
      },
    );
  }
});

test('a socket that died between dialling and sending is a problem', async () => {
  await withOk(async ({ port }) => {
    const network: Network = {
      resolve: async () => ['93.184.215.14'],
      dial: () =>
        new Promise((resolve) => {
          const socket = connectPlain(port, '127.0.0.1', () => {
            Object.defineProperty(socket, 'remoteAddress', { value: '93.184.215.14' });
            socket.destroy();
            resolve(socket);
          });
        }),
    };
    assert.is((await ask(network)).kind, 'problem');
  });
});

test('T-54: an endless body does not hold a request that reads none, and is cut where it is read', async () => {
  const drip = (response: import('node:http').ServerResponse): void => {
    response.writeHead(200);
    const more = (): void => {
      while (response.write('x'.repeat(16_384)));
      response.once('drain', more);
    };
    more();
  };
  await withReceiver(
    (_request, response) => drip(response),
    async ({ port }) => {
      const network = fakeNetwork(port, () => ['93.184.215.14']);
      assert.is(problemOf(await ask(network)), 'answer 200');
      assert.is(problemOf(await ask(network, { method: 'GET', readLimitBytes: 65_536 })), 'the answer is too long');
    },
  );
});

test.run();
