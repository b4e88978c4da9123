/** Choices that a recipe has looked up: what is asked, what may be answered, and what is said where there are none. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPolls } from './poll-world.ts';

const test = suite('choices that are looked up');

const json = { 'content-type': 'application/json' };

test('each form of an answer gives labels and values', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    '/texts': ['Braves', 7],
    '/maps': [{ Braves: 123 }, { Cubs: 'c' }],
    '/named': [
      { id: 'x', name: 'X' },
      { id: '', name: 'none' },
    ],
    '/many': Array.from({ length: 900 }, (_, at) => `team ${at}`),
  };
  await withPolls(
    ({ path }, response) => response.writeHead(200, json).end(JSON.stringify(answers[path])),
    async ({ lookUp }) => {
      const at = (path: string) => lookUp({ endpoint: `https://a.example${path}` });
      assert.equal(await at('/texts'), ['Braves=Braves', '7=7']);
      assert.equal(await at('/maps'), ['Braves=123', 'Cubs=c']);
      assert.equal(await at('/named'), ['X=x']);
      assert.is((await at('/many')).length, 500);
    },
  );
});

test('the address uses the values of other fields, and what was typed goes into the body or the query', async () => {
  await withPolls(
    (_, response) => response.writeHead(200, json).end('[]'),
    async ({ lookUp, received }) => {
      await lookUp({ endpoint: 'https://a.example/{{ league }}/teams' }, { values: { league: 'mlb' }, text: 'unused' });
      await lookUp({ isPost: true, sendsText: true }, { text: '{{ "cubs" }}' });
      await lookUp({ sendsText: true }, { text: 'red sox' });
      assert.equal(
        received.map(({ method, path }) => `${method} ${path}`),
        ['GET /mlb/teams', 'POST /teams', 'GET /teams?query=red+sox'],
      );
      assert.equal(JSON.parse(received[1]?.body.toString() ?? ''), { function: 'team', query: '{{ "cubs" }}' });
    },
  );
});

test('an answer that is not a list, a failure and an address of the house are refused with a sentence', async () => {
  await withPolls(
    ({ path }, response) => response.writeHead(path === '/gone' ? 404 : 200, json).end('{"a":1}'),
    async ({ lookUp }) => {
      const at = async (endpoint: string): Promise<string> => String(await lookUp({ endpoint }));
      assert.is(
        await at('https://a.example/map'),
        'a.example: its answer is not a list of choices: type the value itself',
      );
      assert.match(String(await at('https://a.example/gone')), /^a\.example: .*404/);
      assert.match(String(await at('http://192.168.1.2/teams')), /192\.168\.1\.2/);
      assert.match(String(await at('teams')), /teams/);
      assert.match(String(await at('  ')), 'the recipe names no address to ask for data');
    },
  );
});

test.run();
