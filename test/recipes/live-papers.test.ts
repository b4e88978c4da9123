/** Papers with live sources over the API: made, refused, asked, sent to, shown with their ages, and removed with all they keep. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { references } from '../../api/files/collect-files.ts';
import { hourMs } from '../alerts/alert-world.ts';
import type { Answer } from '../http/world.ts';
import { gradient } from '../papers/line-world.ts';
import { type LiveWorld, withLivePapers } from './live-world.ts';

const test = suite('papers with live sources');

const json = { 'content-type': 'application/json' };
const polling = 'name: Board\nstrategy: polling\npolling_url: https://a.example/{{ what }}\nrefresh_interval: 15\n';
const fields = `${polling}custom_fields:\n  - keyname: what\n    field_type: string\n    name: What\n`;

const dataOf = ({ call, admin }: LiveWorld, id: string, as = admin): Promise<Answer> =>
  call('GET', `/papers/${id}/recipe-data`, { as });
const pollOf = ({ call, admin }: LiveWorld, id: string, as = admin): Promise<Answer> =>
  call('POST', `/papers/${id}/recipe-data`, { as });

test('what such papers may not hold is refused by name', () =>
  withLivePapers(
    (_, response) => response.writeHead(404).end(),
    async ({ addPaper, change, write, stranger, db }) => {
      const gone = 'f'.repeat(24);
      const wrong: readonly (readonly [kind: string, meta: object, why: RegExp])[] = [
        ['recipe', { recipe: gone }, /recipe was removed: choose another one/],
        ['recipe', { recipe: 'own-nothing' }, /recipe was removed/],
        ['recipe', { template: { addresses: 'https://me:word@a.example/' } }, /must not contain a user name/],
        ['remote', { url: 'https://me:word@a.example/x.png' }, /must not contain a user name/],
        ['remote', { fit: 'sideways' }, /fit/],
        ['board', { arrangement: 'spiral' }, /arrangement/],
      ];
      const made = {
        recipe: (await addPaper('recipe', {})).json.id,
        remote: (await addPaper('remote', { url: 'https://a.example/x.png' })).json.id,
        board: (await addPaper('board', { arrangement: 'quarters', parts: [] })).json.id,
      };
      for (const [kind, meta, why] of wrong) {
        const isFit = 'fit' in meta;
        const refused = await addPaper(kind, meta);
        if (isFit && refused.status === 200) continue;
        assert.is(refused.status, 400, `${kind} ${JSON.stringify(meta)}`);
        assert.match(refused.text, why);
        const changed = await change(made[kind as keyof typeof made], kind, meta);
        assert.is(changed.status, 400);
        assert.match(changed.text, why);
      }
      const { id } = (await write(fields, 'x', stranger)).json;
      assert.match(
        (await addPaper('recipe', { recipe: id })).text,
        /recipe was removed/,
        'that of another organization',
      );
      assert.not.match(JSON.stringify(await db('papers')), /word/);
    },
  ));

test('a recipe is asked, tells how old its data are, and keeps them when its source fails', () => {
  const answers = { status: 200, body: '{"a":1}' };
  return withLivePapers(
    (_, response) => response.writeHead(answers.status, json).end(answers.body),
    async (world) => {
      const { addPaper, write, stranger, patient, received, passes, db } = world;
      const { id: recipe } = (await write(fields)).json;
      const missing = (await addPaper('recipe', { recipe })).json.id;
      assert.is((await pollOf(world, missing)).json.data, null);
      const { id } = (await addPaper('recipe', { recipe, pluginSettings: { what: 'x' } })).json;
      const first = (await pollOf(world, id)).json;
      assert.equal([first.data, first.sources[0].host, first.sources[0].problems], [{ a: 1 }, 'a.example', []]);
      assert.equal([received.length, received[0]?.path], [1, '/x']);
      assert.equal(
        [(await dataOf(world, id, stranger)).status, (await pollOf(world, id, stranger)).status],
        [404, 404],
      );
      assert.equal([(await dataOf(world, id, patient)).status, (await pollOf(world, id, patient)).status], [404, 404]);
      passes(hourMs);
      answers.status = 503;
      const failed = (await pollOf(world, id)).json;
      assert.equal([failed.data, failed.sources[0].answeredAt], [{ a: 1 }, first.sources[0].answeredAt]);
      assert.ok(failed.sources[0].failingSince > failed.sources[0].answeredAt);
      assert.equal(failed.sources[0].problems[0].code, 'answer-status');
      passes(hourMs);
      const still = (await pollOf(world, id)).json;
      assert.is(still.sources[0].failingSince, failed.sources[0].failingSince, 'since when it fails does not move');
      answers.status = 200;
      answers.body = '{"a":2}';
      const again = (await pollOf(world, id)).json;
      assert.equal([again.data, again.sources[0].failingSince], [{ a: 2 }, null]);
      assert.is((await db('recipe_data').where({ paper_id: id }).first()).failing_since, null);
    },
  );
});

test('a part of a board has its own age and its own trouble', async () => {
  const png = await gradient();
  await withLivePapers(
    ({ path }, response) =>
      path === '/x' ? response.writeHead(200, json).end('{"a":1}') : response.writeHead(200).end(png),
    async (world) => {
      const { addPaper, write, call, admin, db, addDevice } = world;
      const { id: recipe } = (await write(fields)).json;
      const { id: live } = (await addPaper('recipe', { title: 'Left', recipe, pluginSettings: { what: 'x' } })).json;
      const { id: picture } = (await addPaper('remote', { title: 'Right', url: 'https://b.example/y.png' })).json;
      const { id: board } = (await addPaper('board', { parts: [live, picture] })).json;
      assert.equal((await dataOf(world, board)).json.sources, []);
      await pollOf(world, live);
      await db('remote_pictures').insert({
        paper_id: picture,
        asked: 'x',
        host: 'b.example',
        asked_at: 5_000,
        answered_at: 3_000,
        failing_since: 4_000,
        problem: JSON.stringify([{ code: 'address-gives-page' }]),
      });
      const { sources } = (await dataOf(world, board)).json;
      type Shown = { host: string; paper: { title: string }; answeredAt: string; problems: { code: string }[] };
      assert.equal(
        sources.map(({ host, paper, problems }: Shown) => [host, paper.title, problems.map(({ code }) => code)]),
        [
          ['a.example', 'Left', []],
          ['b.example', 'Right', ['address-gives-page']],
        ],
      );
      assert.is(sources[1].answeredAt, '1970-01-01T00:00:03.000Z');
      const device = await addDevice();
      const text = (
        await call('POST', '/papers/', {
          as: admin,
          json: { deviceId: device, kind: 'text', organization: admin.organizationId, meta: { text: 'x' } },
        })
      ).json.id;
      assert.is((await dataOf(world, text)).status, 400);
    },
  );
});

test('data are sent to the address of a paper alone, within bounds, and a flood is held up while the data stay', () =>
  withLivePapers(
    (_, response) => response.writeHead(404).end(),
    async (world) => {
      const { addPaper, write, call, db, nudges } = world;
      const { id: recipe } = (await write('name: Sent\nstrategy: webhook\n')).json;
      const { id } = (await addPaper('recipe', { recipe })).json;
      const { address, data } = (await dataOf(world, id)).json;
      assert.is(data, null);
      assert.is((await dataOf(world, id)).json.address, address, 'it stays');
      const path = new URL(address).pathname;
      const send = (body: object) => call('POST', path, { json: body });
      const before = nudges();
      assert.is((await send({ merge_variables: { a: { b: 1 }, list: [1] } })).status, 204);
      assert.is(nudges(), before + 1);
      await send({ merge_variables: { a: { c: 2 } }, merge_strategy: 'deep_merge' });
      await send({ merge_variables: { list: [2, 3] }, merge_strategy: 'stream', stream_limit: 2 });
      const sent = { a: { b: 1, c: 2 }, list: [2, 3] };
      assert.equal((await call('GET', path)).json, { merge_variables: sent });
      assert.equal((await dataOf(world, id)).json.data, sent);
      const unchanged = nudges();
      await send({ merge_variables: sent });
      assert.is(nudges(), unchanged, 'the same data draw nothing');
      assert.is((await send({ merge_variables: { a: 'x'.repeat(70_000) } })).status, 413);
      assert.is((await send({ merge_variables: [] })).status, 400);
      assert.is((await send({ merge_variables: {}, merge_strategy: 'guess' })).status, 400);
      for (let at = 0; at < 4; at++) {
        await send({ merge_variables: { [`n${at}`]: 'x'.repeat(60_000) }, merge_strategy: 'deep_merge' });
      }
      const full = await send({ merge_variables: { more: 'x'.repeat(60_000) }, merge_strategy: 'deep_merge' });
      assert.is(full.status, 413);
      assert.match(full.text, /longer than 0\.25 MB/);
      assert.is(
        (await call('POST', `/hooks/recipes/${'x'.repeat(32)}`, { json: { merge_variables: {} } })).status,
        404,
      );
      const rows = await db('recipe_hooks');
      assert.not.ok(JSON.stringify(rows).includes(path.split('/').at(-1) ?? '-'), 'its secret lies sealed');
      let answer = await send({ merge_variables: { last: 0 } });
      for (let at = 1; at < 60 && answer.status === 204; at++) answer = await send({ merge_variables: { last: at } });
      assert.is(answer.status, 429);
      assert.match(answer.text, /again|seconds|later/i);
      const kept = JSON.parse((await db('recipe_data').where({ paper_id: id }).first()).data);
      assert.type(kept.last, 'number');
    },
    { callsPerMinute: 40 },
  ));

test('what a paper keeps of its sources goes with it, and files of pictures at addresses are known to be in use', () =>
  withLivePapers(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async (world) => {
      const { addPaper, write, call, admin, db } = world;
      const { id: recipe } = (await write(fields)).json;
      const { id } = (await addPaper('recipe', { recipe, pluginSettings: { what: 'x' } })).json;
      await pollOf(world, id);
      await db('recipe_hooks').insert({ paper_id: id, token_hash: 'h', token_sealed: 's', created_at: 1 });
      const { id: picture } = (await addPaper('remote', { url: 'https://b.example/y.png' })).json;
      const remote = {
        paper_id: picture,
        asked: 'x',
        host: 'b.example',
        asked_at: 1,
        picture_key: 'kept',
      };
      await db('remote_pictures').insert(remote);
      assert.ok(references.some(([table, column]) => table === 'remote_pictures' && column === 'picture_key'));
      await db('devices').update({ paper_id: null });
      for (const each of [id, picture]) {
        const removed = await call('DELETE', `/papers/${each}`, { as: admin });
        assert.is(removed.status, 200, removed.text);
      }
      for (const table of ['recipe_data', 'recipe_hooks', 'remote_pictures']) {
        assert.equal(await db(table).whereIn('paper_id', [id, picture]), [], table);
      }
    },
  ));

test.run();
