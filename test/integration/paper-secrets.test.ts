/**
 * Secrets among the settings of integrations: sealed as they are written, shown to nobody, opened for their origin
 * alone.
 */
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isReference, openSettings, sealSettings } from '../../api/integration/paper-secrets.ts';
import { sealStored } from '../../api/integration/seal-stored.ts';
import type { PaperRow } from '../../api/papers/store.ts';
import { withHttp, worldKeys } from '../http/world.ts';
import { seededRandom, withWorld, sealKey as worldKey } from './integration-world.ts';

const test = suite('secrets of integrations');

const sealKey = worldKeys.seal;
const deps = { sealKey, random: seededRandom('secrets') };
const owner = { id: 'a'.repeat(24), organization_id: 'b'.repeat(24) };
const pluginConfigUrl = 'https://notes.example/config.json';
type Settings = Record<string, unknown>;

/** Returns the settings as they are stored, and as a page gets them. */
function stored(
  settings: Settings,
  { properties = {}, before, url = pluginConfigUrl, of = owner }: StoredOptions = {},
) {
  const meta = { pluginConfigUrl: url, pluginManifest: { formSchema: { properties } }, pluginSettings: settings };
  const row = { ...of, ...sealSettings(deps, of, JSON.stringify(meta), before) };
  const kept: Settings = JSON.parse(row.meta).pluginSettings;
  return { row, kept, opened: openSettings(sealKey, row, kept).settings };
}
interface StoredOptions {
  readonly properties?: Settings;
  readonly before?: typeof owner & Pick<PaperRow, 'secrets'>;
  readonly url?: string;
  readonly of?: typeof owner;
}

const named =
  'password wifiPassword appPassword token apiToken accessToken refresh_token clientSecret apiKey API-KEY googleMapsApiKey ' +
  'privateKey bearerCredentials pwd passphrase icsUrl feedUrl rotaUrl calendarUrl calendar_url_2 icalLink webcalAddress calendarUrls';

for (const name of named.split(' ')) {
  test(`a field named ${name} is sealed, with a schema that is silent and with none`, () => {
    for (const properties of [{}, { [name]: { type: 'string', format: 'url' } }]) {
      const { row, kept, opened } = stored({ [name]: 'sesame', title: 'Kitchen' }, { properties });
      assert.not.match(JSON.stringify(row), /sesame/);
      assert.ok(isReference(kept[name]));
      assert.equal([kept.title, opened], ['Kitchen', { [name]: 'sesame', title: 'Kitchen' }]);
    }
  });
}

test('a manifest marks any field, also a number, a list and one within others, and denies a name', () => {
  const properties = {
    pin: { type: 'integer', format: 'password' },
    doors: { type: 'array', writeOnly: true },
    accounts: { type: 'array', items: { properties: { word: { 'ui:widget': 'password' }, user: {} } } },
    feedUrl: { type: 'string', secret: false },
    tokenKind: { type: 'string', enum: ['a', 'b'] },
    maxTokens: { type: 'integer' },
    showPassword: { type: 'boolean' },
  };
  const settings = {
    pin: 4711,
    doors: ['sesame-1'],
    accounts: [{ word: 'sesame-2', user: 'ada' }, { user: 'bo' }],
    feedUrl: 'https://news.example/rss',
    tokenKind: 'a',
    maxTokens: 5,
    showPassword: true,
    deep: { list: [{ auth: { token: 'sesame-3' } }] },
    apiKey: '',
    token: null,
  };
  const { row, kept, opened } = stored(settings, { properties });
  assert.equal(opened, settings);
  assert.not.match(JSON.stringify(row), /sesame|4711/);
  const { feedUrl, tokenKind, maxTokens, showPassword, apiKey, token } = kept;
  assert.equal(
    [feedUrl, tokenKind, maxTokens, showPassword, apiKey, token],
    ['https://news.example/rss', 'a', 5, true, '', null],
  );
});

test('a reference keeps its secret wherever it moves, the same value changes nothing, another one does, and an empty one ends it', () => {
  const accounts = (...names: string[]) => names.map((name) => ({ name, password: `sesame-${name}` }));
  const first = stored({ accounts: accounts('a', 'b'), token: 'sesame-t' });
  const [a, b] = first.kept.accounts as Settings[];
  const before = first.row;
  const turned = stored({ accounts: [b, a] }, { before });
  assert.equal(turned.opened, { accounts: accounts('b', 'a') });
  assert.not.match(JSON.stringify(turned.row), /token/);
  assert.is(stored({ accounts: accounts('a', 'b'), token: 'sesame-t' }, { before }).row.meta, before.meta);
  const changed = stored({ ...first.kept, token: 'sesame-u' }, { before });
  assert.is.not(changed.row.meta, before.meta);
  assert.equal(changed.opened.token, 'sesame-u');
  const ended = stored({ ...first.kept, accounts: [], token: '' }, { before });
  assert.equal([ended.row.secrets, ended.opened], ['', { accounts: [], token: '' }]);
  assert.equal(stored({ token: first.kept.token }, { before: ended.row }).opened, {});
});

test('a secret is for the origin, the paper and the organization that it was typed in', () => {
  const { row: before, kept } = stored({ token: 'sesame', title: 'x' });
  const elsewhere = 'https://evil.example/config.json';
  assert.equal(stored(kept, { before, url: elsewhere }).opened, { title: 'x' });
  assert.equal(stored(kept, { before, url: 'https://notes.example/v2.json' }).opened.token, 'sesame');
  const renamed = { ...before, meta: before.meta.replace('notes.example', 'evil.example') };
  assert.equal(openSettings(sealKey, renamed, kept).settings, { title: 'x' });
  const moved = { ...owner, organization_id: 'c'.repeat(24) };
  const after = stored(kept, { before, of: moved });
  assert.equal([after.row.secrets, after.kept], ['', { title: 'x' }]);
  assert.throws(() => openSettings(sealKey, { ...before, id: 'd'.repeat(24) }, kept));
  const exposed = stored(
    { token: kept.token, title: kept.token },
    { before, properties: { token: { secret: false } } },
  );
  assert.equal(exposed.row.secrets, '');
  assert.not.match(JSON.stringify(exposed.opened), /sesame/);
});

test('T-118: what is written is in no answer, no row and no entry of the log, on both surfaces', () =>
  withHttp(async ({ admin, call, db, random }) => {
    const { organizationId: organization } = admin;
    const deviceId = random.id();
    const device = { id: deviceId, organization_id: organization, meta: '{}', details: '{}', assignment: 0 };
    await db('devices').insert({ ...device, created_at: 0, updated_at: 0 });
    const texts: string[] = [];
    for (const prefix of ['', '/v1']) {
      const said = async (method: string, path: string, json?: object) => {
        const answer = await call(method, `${prefix}${path}`, { as: admin, ...(json && { json }) });
        texts.push(answer.text);
        return answer.json;
      };
      const meta = { title: 'Notes', pluginConfigUrl, pluginSettings: { apiKey: 'sesame-1', list: 'a' } };
      const paper = { deviceId, kind: 'plugin', organization };
      const { id } = await said('POST', '/papers/', { ...paper, meta });
      const path = `/papers/${id}`;
      const secretNow = async () => {
        const row = await db('papers').where({ id }).first();
        return openSettings(sealKey, row, JSON.parse(row.meta).pluginSettings).settings.apiKey;
      };
      assert.is(await secretNow(), 'sesame-1');
      const shown = await said('GET', path);
      assert.ok(isReference(shown.meta.pluginSettings.apiKey));
      await said('POST', path, { ...paper, meta: { ...shown.meta, title: 'Other' } });
      assert.is(await secretNow(), 'sesame-1');
      await said('POST', path, { ...paper, meta: { ...shown.meta, pluginSettings: { apiKey: 'sesame-2' } } });
      assert.is(await secretNow(), 'sesame-2');
      const form = new FormData();
      form.set('settings', JSON.stringify({ meta: { pluginSettings: { apiKey: 'sesame-3' } } }));
      const upload = await call('POST', `${prefix}/papers/uploadSingleImage/${id}`, { as: admin, body: form });
      assert.is(upload.status, 200, upload.text);
      texts.push(upload.text);
      assert.is(await secretNow(), 'sesame-3');
      await said('GET', '/papers/');
    }
    texts.push(JSON.stringify([await db('papers'), await db('audit_entries').catch(() => [])]));
    assert.is(texts.length, 13);
    for (const text of texts) assert.not.match(text, /sesame/);
  }));

test('the settings page of the integration gets its secrets, a form gets references', () =>
  withWorld(async ({ call, addPerson, db, paperId, organizationId, origin, manifest }) => {
    const of = { id: paperId, organization_id: organizationId };
    const settingsOf = async (pluginManifest: object) => {
      const meta = {
        pluginConfigUrl: `${origin}/notes/config.json`,
        pluginManifest,
        pluginSettings: { token: 'sesame' },
      };
      await db('papers')
        .where({ id: paperId })
        .update(sealSettings({ ...deps, sealKey: worldKey }, of, JSON.stringify(meta)));
      const { body } = await call('GET', `/papers/${paperId}/settings-page`, { as: await addPerson('user') });
      const { settings, meta: told } = body.payload as { settings: Settings; meta: { pluginSettings: Settings } };
      assert.equal(settings, told.pluginSettings);
      return settings.token;
    };
    assert.is(await settingsOf(manifest), 'sesame');
    assert.ok(isReference(await settingsOf({ ...manifest, settingsPage: undefined })));
  }));

test('a manifest that a grant saves has its fields sealed with it', () =>
  withWorld(async ({ call, addPerson, setMeta, manifests, db, paperId, origin, manifest }) => {
    const configUrl = `${origin}/notes/config.json`;
    const formSchema = { properties: { pin: { type: 'string', format: 'password' } } };
    manifests.set(configUrl, { ok: true, manifest: { ...manifest, formSchema } });
    await setMeta({ pluginConfigUrl: configUrl, pluginSettings: { pin: 'sesame' } });
    const json = { configUrl, settingsPage: manifest.settingsPage };
    const granted = await call('POST', `/papers/${paperId}/grants`, { as: await addPerson('user'), body: json });
    assert.is(granted.status, 201);
    assert.not.match(JSON.stringify(await db('papers')), /sesame/);
  }));

test('rows of an earlier version are sealed once, all of them, and keep their value, time and edition', () =>
  withWorld(async ({ db, addPaper }) => {
    const ids: string[] = [];
    for (let paper = 0; paper < 130; paper++) {
      ids.push(await addPaper({ pluginConfigUrl, pluginSettings: { password: `sesame-${paper}` } }));
    }
    const before = await db('papers').where({ id: ids[0] }).first();
    await sealStored(db, deps);
    const rows = await db('papers');
    assert.not.match(JSON.stringify(rows), /sesame/);
    assert.equal(await db('papers').whereNull('secrets'), []);
    for (const [place, id] of ids.entries()) {
      const row = rows.find((found) => found.id === id);
      const { settings } = openSettings(sealKey, row, JSON.parse(row.meta).pluginSettings);
      assert.equal(settings, { password: `sesame-${place}` });
    }
    const after = rows.find(({ id }) => id === ids[0]);
    assert.equal([after.updated_at, after.edition], [before.updated_at, before.edition]);
    await sealStored(db, deps);
    assert.equal(await db('papers'), rows);
  }));

test.run();
