/** Secrets of recipes and templates whose hosts or fields were changed: they are asked for again, or sealed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLivePapers } from './live-world.ts';

const test = suite('moved secrets');

const canary = 'canary-5ecret-f00d';
const json = { 'content-type': 'application/json' };
const asks = 'strategy: polling\npolling_url: https://a.example/data?key={{ api_key }}\n';
const recipe = `name: Board\n${asks}custom_fields:
  - keyname: api_key
    field_type: string
    name: Key
  - keyname: word
    field_type: password
    name: Word
`;

test('RC-97: after another address the secret is asked for again, and that holds before anything was polled', () =>
  withLivePapers(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ write, addPaper, change, call, admin, received, db, addDevice }) => {
      const made = (await write(recipe)).json;
      const typed = { recipe: made.id, pluginSettings: { api_key: canary, word: canary } };
      const { id, meta } = (await addPaper('recipe', typed)).json;
      assert.is((await db('recipe_data').where({ paper_id: id }).first()).hosts, '["a.example"]');
      const poll = async () => (await call('POST', `/papers/${id}/recipe-data`, { as: admin })).text;
      const moved = recipe.replace('a.example', 'evil.example');
      const put = { organization: admin.organizationId, settings: moved, views: { full: 'x' } };
      assert.is((await call('PUT', `/recipes/${made.id}`, { as: admin, json: put })).status, 200);
      await poll();
      const deviceId = await addDevice();
      const draft = { deviceId, kind: 'recipe', paperId: id, meta };
      const drawn = await call('POST', '/previews/paper', { as: admin, json: draft });
      assert.match(drawn.json.problem, /now asks evil\.example, .* type them again/);
      assert.is(received.length, 0);
      await change(id, 'recipe', meta);
      await poll();
      assert.is(received.length, 0, 'saving alone changes nothing');
      await change(id, 'recipe', { ...typed, pluginSettings: { api_key: `${canary}-2`, word: `${canary}-2` } });
      assert.match(await poll(), /"a":1/);
      assert.equal([received.length, received[0]?.headers.host], [1, 'evil.example']);
    },
  ));

test('T-119: the login of a template goes to the hosts that its addresses named, and a changed host takes it away', () =>
  withLivePapers(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ addPaper, change, call, admin, received, db }) => {
      const template = { addresses: 'https://a.example/x', headers: `Authorization: Bearer ${canary}`, markup: 'x' };
      const { id, meta } = (await addPaper('recipe', { template })).json;
      assert.match(meta.template.headers, /^papergate-secret:/);
      const poll = () => call('POST', `/papers/${id}/recipe-data`, { as: admin });
      await poll();
      assert.is(received[0]?.headers.authorization, `Bearer ${canary}`);
      const at = (addresses: string) => change(id, 'recipe', { template: { ...meta.template, addresses } });
      assert.match((await at('https://a.example/y')).json.meta.template.headers, /^papergate-secret:/);
      const headerAt = async (addresses: string) => {
        const preview = { organization: admin.organizationId, meta: { template: { ...meta.template, addresses } } };
        await call('POST', '/previews/recipe-data', { as: admin, json: { ...preview, paperId: id } });
        return received.at(-1)?.headers.authorization;
      };
      assert.is(await headerAt('https://a.example/z'), `Bearer ${canary}`);
      for (const wrong of [
        'https://evil.example/',
        'https://a.example/\nhttps://evil.example/',
        'https://a.example/{{"%0ahttps://evil.example/"|url_decode}}',
      ]) {
        assert.is(await headerAt(wrong), undefined, wrong);
      }
      await at('https://evil.example/');
      await poll();
      assert.is(received.at(-1)?.headers.host, 'evil.example');
      assert.is(received.at(-1)?.headers.authorization, undefined);
      assert.is((await db('papers').where({ id }).first()).secrets, '', 'it was forgotten');
      const plain = { template: { ...template, headers: 'Accept: text/csv' } };
      assert.is((await change(id, 'recipe', plain)).json.meta.template.headers, 'Accept: text/csv');
    },
  ));

test('a field that a changed recipe calls a secret is sealed with the change', () =>
  withLivePapers(
    (_, response) => response.writeHead(200, json).end('{"a":1}'),
    async ({ write, addPaper, call, admin, db }) => {
      const open = `name: Board\n${asks}custom_fields:\n  - keyname: code\n    field_type: string\n    name: Code\n`;
      const made = (await write(open)).json;
      const { id } = (await addPaper('recipe', { recipe: made.id, pluginSettings: { code: canary } })).json;
      assert.match((await db('papers').where({ id }).first()).meta, /canary/);
      const settings = open.replace('field_type: string', 'field_type: password');
      const put = { organization: admin.organizationId, settings, views: { full: 'x' } };
      assert.is((await call('PUT', `/recipes/${made.id}`, { as: admin, json: put })).status, 200);
      assert.not.match(JSON.stringify(await db('papers').where({ id }).first()), /canary/);
    },
  ));

test.run();
