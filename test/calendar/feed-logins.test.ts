/** Feeds behind a login, and feeds whose server sets a cookie before it answers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feedFetcher } from '../../api/calendar/fetch-feed.ts';
import type { AddressLogin } from '../../api/outgoing/address-login.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, type Received, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('feeds behind a login');

const text = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';
const basic = `Basic ${Buffer.from('anna:s3cret').toString('base64')}`;
const logins: readonly AddressLogin[] = [{ origin: 'http://feeds.example', header: 'authorization', value: basic }];

type Answer = { readonly status: number; readonly headers?: Record<string, string | string[]> };

/** Fetches a feed of a server, and returns what was had and what the server was asked. */
async function asked(
  answer: (request: Received) => Answer,
  { path = '/a.ics', login = logins }: { path?: string; login?: readonly AddressLogin[] } = {},
): Promise<{ said: string; received: readonly Received[] }> {
  let said = '';
  let seen: readonly Received[] = [];
  await withReceiver(
    (request, response) => {
      const { status, headers = {} } = answer(request);
      response.writeHead(status, headers).end(status === 200 ? text : 'no');
    },
    async ({ port, received }) => {
      const network = fakeNetwork(port, () => ['93.184.216.34']);
      const fetchFeed = feedFetcher(openWayOut({ network, clock: handClock() }));
      const caller = { sharer: ['house', 'view', 'paper'], signal: new AbortController().signal, logins: login };
      const fetched = await fetchFeed([new URL(`http://feeds.example${path}`)], 0, caller);
      said = fetched.text ?? wordsOf(fetched.problem ?? []);
      seen = received;
    },
  );
  return { said, received: seen };
}

const challenged = (challenge: string | string[]): Answer => ({
  status: 401,
  headers: { 'www-authenticate': challenge },
});
const digest = 'Digest realm="cal, basic", nonce="abc", qop="auth", algorithm=SHA-256';

test('a server that takes Digest alone is reported as such, with what to do', async () => {
  for (const challenge of [digest, digest.toLowerCase(), [digest, 'Digest realm="x", nonce="y", algorithm=MD5']]) {
    for (const login of [logins, []]) {
      const { said, received } = await asked(() => challenged(challenge), { login });
      assert.match(said, /Digest only.*status 401.*allow Basic at the server/);
      assert.is(received.length, 1, 'nobody asks again with what is not taken');
    }
  }
});

test('a server that takes Basic, too, gets it, and one that does not take this login is reported', async () => {
  for (const challenge of [
    [digest, 'Basic realm="cal"'],
    `${digest}, Basic realm="cal"`,
    'Basic realm="a, digest"',
    'Bearer',
  ]) {
    const { said } = await asked(({ headers }) =>
      headers.authorization === basic ? { status: 200 } : challenged(challenge),
    );
    assert.is(said, text);
    const none = await asked(() => challenged(challenge));
    assert.match(none.said, /the server asks for a login, which is missing or was not accepted \(status 401\)/);
    assert.not.match(none.said, /s3cret|YW5uY/);
  }
});

test('a feed that sets a cookie by redirecting to itself is read, with its login', async () => {
  const { said, received } = await asked(({ headers, path }) => {
    if (headers.authorization !== basic) return challenged('Basic');
    return headers.cookie === 'seen=1; lang=de'
      ? { status: 200 }
      : { status: 302, headers: { location: path, 'set-cookie': ['seen=1; Path=/; HttpOnly', 'lang=de'] } };
  });
  assert.is(said, text);
  assert.equal(
    received.map(({ path, headers }) => `${path} ${headers.cookie ?? ''}`),
    ['/a.ics ', '/a.ics seen=1; lang=de'],
  );
});

test('cookies are collected over steps, go to their host alone, and a server that leads in a circle ends', async () => {
  const steps = await asked(({ path, headers }) => {
    const [, step = '1'] = /step=(\d)/.exec(path) ?? [];
    if (step === '3') return headers.cookie === 'c1=x; c2=x' ? { status: 200 } : { status: 403 };
    return { status: 307, headers: { location: `?step=${Number(step) + 1}`, 'set-cookie': `c${step}=x` } };
  });
  assert.is(steps.said, text);
  const elsewhere = await asked(({ headers }) =>
    headers.host === 'other.example'
      ? { status: headers.cookie === undefined && headers.authorization === undefined ? 200 : 403 }
      : { status: 302, headers: { location: 'http://other.example/', 'set-cookie': 'seen=1' } },
  );
  assert.is(elsewhere.said, text);
  const circle = await asked(({ path }) => ({ status: 302, headers: { location: path, 'set-cookie': 'seen=1' } }));
  assert.match(circle.said, /more than 3 times/);
  assert.is(circle.received.length, 4);
});

test('a redirect may name an address beyond ASCII', async () => {
  const { said, received } = await asked(({ path }) =>
    path === '/a.ics'
      ? { status: 302, headers: { location: Buffer.from('/Grüne.ics').toString('latin1') } }
      : { status: 200 },
  );
  assert.is(said, text);
  assert.match(received[1]?.path ?? '', /^\/Gr%C3/);
});

test.run();
