/** Requests that follow redirects: where they lead, and what goes along. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FollowDeps, type FollowedRequest, followRedirects } from '../../api/outgoing/follow-redirects.ts';
import { homeNetworks } from '../../api/outgoing/home-networks.ts';
import { readPlainUrl } from '../../api/outgoing/plain-url.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type FakeNetwork, fakeNetwork, type Received, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('following redirects');

const home = homeNetworks({
  entries: [{ address: '192.168.1.0', prefix: 24 }],
  notFor: [],
  own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
});

interface Web extends Receiver {
  readonly network: FakeNetwork;
  /** Makes a request, and returns the status, the body and the address of the answer, or why there is none. */
  ask(url: string, more?: Partial<FollowedRequest>): Promise<string>;
  /** The requests, as method, host and path. */
  seen(): string[];
}

/** A web in which a path such as `/302/https://b.example/x` leads there, and every other one is answered. */
function withWeb(run: (web: Web) => Promise<void>): Promise<void> {
  return withReceiver(
    ({ path, method, body }, response) => {
      const [, status, location] = /^\/(30\d)\/?(.*)$/.exec(path) ?? [];
      if (status === undefined) return response.writeHead(200).end(`${method} ${body}`.trim());
      const cookie = { 'set-cookie': 'visit=1; Path=/' };
      return response.writeHead(Number(status), { ...cookie, ...(location && { location }) }).end('moved');
    },
    async (receiver) => {
      const network = fakeNetwork(receiver.port, () => ['93.184.215.14']);
      const deps: FollowDeps = { wayOut: openWayOut({ network, clock: handClock() }), home };
      const seenAs = ({ method, headers, path }: Received): string => `${method} ${headers.host} ${path}`;
      await run({
        ...receiver,
        network,
        seen: () => receiver.received.map(seenAs),
        async ask(url, more = {}) {
          const asked = { sharer: ['house'], url: new URL(url), headers: {}, readLimitBytes: 1_000, ...more };
          const answer = await followRedirects(deps, asked);
          return answer.kind === 'problem'
            ? wordsOf(answer.problem)
            : `${answer.status} ${answer.body} ${answer.url.href}`;
        },
      });
    },
  );
}

test('three redirects are followed, and no fourth', async () => {
  await withWeb(async ({ ask, seen }) => {
    const way = 'https://a.example/302/https://b.example/301/https://c.example/308/https://d.example/end';
    assert.is(await ask(way), '200 GET https://d.example/end');
    assert.equal(
      seen().map((line) => line.slice(0, 13)),
      ['GET a.example', 'GET b.example', 'GET c.example', 'GET d.example'],
    );
    const four = `${'https://a.example/302/'.repeat(4)}https://a.example/end`;
    assert.is(await ask(four), 'it redirects more than 3 times');
    assert.is(seen().length, 8);
  });
});

test('a redirect may be relative, and one without a place is an answer', async () => {
  await withWeb(async ({ ask }) => {
    assert.is(await ask('https://a.example/302/../elsewhere'), '200 GET https://a.example/elsewhere');
    assert.is(await ask('https://a.example/302'), '302 moved https://a.example/302');
    assert.is(await ask('https://a.example/304'), '304  https://a.example/304');
  });
});

test('headers of its own go to the first origin alone, and do not come back', async () => {
  await withWeb(async ({ ask, received }) => {
    const headers = { accept: 'text/plain' };
    const own = { headers, ownHeaders: { authorization: 'Bearer secret', 'if-none-match': '"1"' } };
    await ask('https://a.example/302/https://a.example/302/https://b.example/302/https://a.example/end', own);
    assert.equal(
      received.map(({ headers: sent }) => [sent.host, sent.authorization, sent['if-none-match'], sent.accept]),
      [
        ['a.example', 'Bearer secret', '"1"', 'text/plain'],
        ['a.example', 'Bearer secret', '"1"', 'text/plain'],
        ['b.example', undefined, undefined, 'text/plain'],
        ['a.example', undefined, undefined, 'text/plain'],
      ],
    );
    received.length = 0;
    // Another port, and another scheme, are another origin.
    await ask('https://a.example/302/https://a.example:8443/end', own);
    await ask('http://a.example/302/https://a.example/end', own);
    assert.equal(
      received.map(({ headers: sent }) => sent.authorization),
      ['Bearer secret', undefined, 'Bearer secret', undefined],
    );
  });
});

test('logins stay with the origin that they are for', async () => {
  await withWeb(async ({ ask, received }) => {
    const logins = [{ origin: 'https://a.example', header: 'authorization', value: 'Bearer mine' }];
    const ownHeaders = { authorization: 'Bearer of-the-recipe' };
    await ask('https://a.example/302/https://b.example/end', { logins, ownHeaders });
    await ask('https://b.example/302/https://a.example/end', { logins });
    assert.equal(
      received.map(({ headers }) => headers.authorization),
      ['Bearer mine', undefined, undefined, undefined],
    );
  });
});

test('cookies go back to the host that set them, within one visit', async () => {
  await withWeb(async ({ ask, received }) => {
    await ask('https://a.example/302/https://a.example/302/https://b.example/end');
    await ask('https://a.example/end');
    assert.equal(
      received.map(({ headers }) => headers.cookie),
      [undefined, 'visit=1', undefined, undefined],
    );
  });
});

test('a body is sent again by 307 and 308 alone, and never to another origin', async () => {
  await withWeb(async ({ ask, received }) => {
    const post = { method: 'POST', body: 'text' } as const;
    assert.is(await ask('https://a.example/307/https://a.example/end', post), '200 POST text https://a.example/end');
    assert.is(await ask('https://a.example/308/https://a.example/end', post), '200 POST text https://a.example/end');
    for (const status of [301, 302, 303]) {
      assert.is(await ask(`https://a.example/${status}/https://b.example/end`, post), '200 GET https://b.example/end');
      assert.is(await ask(`https://a.example/${status}/https://a.example/end`, post), '200 GET https://a.example/end');
    }
    received.length = 0;
    assert.match(await ask('https://a.example/307/https://b.example/end', post), /^it redirects to another host/);
    assert.equal(
      received.map(({ headers }) => headers.host),
      ['a.example'],
    );
  });
});

test('no redirect leads from HTTPS to HTTP, to what is not an address, or to one that the caller does not read', async () => {
  await withWeb(async ({ ask, received }) => {
    for (const place of [
      'http://a.example/end',
      'ftp://a.example/',
      'javascript:alert(1)',
      'https://',
      'https://a.example:99999/',
    ]) {
      received.length = 0;
      const words = await ask(`https://a.example/302/${place}`);
      assert.not.match(words, /^[23]0/, place);
      assert.is(received.length, 1, place);
    }
    assert.is(await ask('http://a.example/302/https://b.example/end'), '200 GET https://b.example/end');
    const readAddress: NonNullable<FollowedRequest['readAddress']> = (text) =>
      new URL(text).hostname === 'b.example' ? { code: 'not-a-url' } : readPlainUrl(text);
    assert.not.match(await ask('https://a.example/302/https://b.example/end', { readAddress }), /^200/);
    assert.is(
      await ask('https://a.example/302/https://c.example/end', { readAddress }),
      '200 GET https://c.example/end',
    );
  });
});

test('T-92: from outside none leads into the house, and from the house one may lead on', async () => {
  await withWeb(async ({ ask, network }) => {
    assert.is(await ask('http://192.168.1.5/302/http://192.168.1.6/end'), '200 GET http://192.168.1.6/end');
    assert.is(await ask('http://192.168.1.5/302/http://b.example/end'), '200 GET http://b.example/end');
    for (const place of ['192.168.1.5', '127.0.0.1', '169.254.169.254', '[::1]', '10.0.0.1']) {
      network.dialled.length = 0;
      assert.match(await ask(`http://a.example/302/http://${place}/end`), /not public|not a public name/, place);
      assert.equal(
        network.dialled.map(({ address }) => address),
        ['93.184.215.14'],
        place,
      );
    }
    assert.match(await ask('http://192.168.1.5/302/http://b.example/302/http://192.168.1.5/end'), /not public/);
  });
});

test('what takes the body is asked for at each step, and gets the pieces of that step', async () => {
  await withWeb(async ({ ask }) => {
    const taken: string[] = [];
    let connections = 0;
    const answer = await ask('https://a.example/302/https://b.example/end', {
      beginTaking: () => {
        const at = taken.push('') - 1;
        return (piece) => {
          taken[at] += piece.toString();
        };
      },
      connected: () => {
        connections += 1;
      },
    });
    assert.is(answer, '200  https://b.example/end');
    assert.equal(taken, ['moved', 'GET']);
    assert.is(connections, 2);
  });
});

test('a request that is given up ends with a reason', async () => {
  await withWeb(async ({ ask, received }) => {
    const signal = AbortSignal.abort();
    assert.not.match(await ask('https://a.example/302/https://b.example/end', { signal }), /^200/);
    assert.is(received.length, 0);
  });
});

test.run();
