/** The API's answers to a page that hosts a settings page, and who gets them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { usableManifest, withWorld } from './integration-world.ts';

const test = suite('settings page route');

test('the address is resolved, and the payload holds the settings in both places', () =>
  withWorld(async ({ call, addPerson, setMeta, paperId, organizationId, origin, manifest }) => {
    const pluginConfigUrl = `${origin}/notes/config.json`;
    await setMeta({ pluginConfigUrl, pluginManifest: manifest, pluginSettings: { a: 1 }, language: 'de' });
    const answer = await call('GET', `/papers/${paperId}/settings-page`, { as: await addPerson('user') });
    const { payload, ...told } = answer.body as { payload: Record<string, unknown> };
    assert.equal(told, {
      name: 'Kitchen notes',
      configUrl: pluginConfigUrl,
      settingsPage: `${origin}/notes/settings.html`,
      messageSourcePrefix: 'service',
    });
    const meta = payload.meta as Record<string, unknown>;
    assert.equal([payload.settings, meta.pluginSettings], [{ a: 1 }, { a: 1 }]);
    assert.equal([meta.language, meta.pluginManifest], ['de', { ...manifest, language: ['de'] }]);
    assert.equal(payload.paper, { id: paperId, kind: 'plugin', organization: organizationId });
  }));

test('A-8: a foreign and an unknown paper answer alike, and only those who may change a paper learn more', () =>
  withWorld(async ({ call, addPerson, addOrganization, paperId }) => {
    const foreign = await addPerson('admin', await addOrganization());
    const denied = await call('GET', `/papers/${paperId}/settings-page`, { as: foreign });
    assert.equal([denied.status, denied.code], [403, 'paper-access-denied']);
    for (const id of ['0'.repeat(24), 'x']) {
      assert.equal(await call('GET', `/papers/${id}/settings-page`, { as: foreign }), denied);
    }
    for (const role of ['patient', 'onlyself'] as const) {
      assert.equal(await call('GET', `/papers/${paperId}/settings-page`, { as: await addPerson(role) }), denied);
    }
  }));

test('an integration without a settings page has its fields in the manifest, and is answered with the payload', () =>
  withWorld(async ({ call, addPerson, setMeta, paperId, origin }) => {
    const pluginConfigUrl = `${origin}/tree/config.json`;
    const formSchema = { type: 'object', properties: { treeId: { type: 'string' } } };
    for (const settingsPage of [undefined, null, '']) {
      const pluginManifest = { name: 'Tree', version: '1', renderPage: './r', formSchema, settingsPage };
      await setMeta({ pluginConfigUrl, pluginManifest });
      const { status, body } = await call('GET', `/papers/${paperId}/settings-page`, { as: await addPerson('user') });
      assert.equal([status, body.name, Object.hasOwn(body, 'settingsPage')], [200, 'Tree', false]);
      const { meta } = body.payload as { meta: { pluginManifest: Record<string, unknown> } };
      assert.equal(meta.pluginManifest.formSchema, formSchema);
    }
  }));

test('what is wrong with an integration that nothing is pushed to is not said in the words of content push', () =>
  withWorld(async ({ call, addPerson, setMeta, addPaper, paperId, origin }) => {
    const as = await addPerson('user');
    const said = async (id = paperId) => {
      const { status, message } = await call('GET', `/papers/${id}/settings-page`, { as });
      return [status, message];
    };
    const unusable = [400, "The paper's integration cannot be used"];
    const pluginConfigUrl = `${origin}/clock/config.json`;
    for (const pluginManifest of [undefined, {}, 7, { name: 'Clock', settingsPage: '//evil.example/' }]) {
      await setMeta({ pluginConfigUrl, pluginManifest });
      assert.equal(await said(), unusable);
    }
    await setMeta({});
    assert.equal(await said(), unusable);
    assert.equal(await said(await addPaper({ pluginConfigUrl }, 'image')), unusable);
  }));

test('A-29: a manifest that is not saved is fetched; one without content push has a settings page too', () =>
  withWorld(async ({ call, addPerson, setMeta, addPaper, paperId, origin, manifests }) => {
    const as = await addPerson('admin');
    const ask = async (id = paperId) => {
      const { status, code, body } = await call('GET', `/papers/${id}/settings-page`, { as });
      return status === 200 ? body.settingsPage : code;
    };
    const pluginConfigUrl = `${origin}/notes/config.json`;
    await setMeta({ pluginConfigUrl });
    assert.is(await ask(), 'unusable-integration');
    manifests.set(pluginConfigUrl, { ok: true, manifest: { ...usableManifest, settingsPage: '/fetched' } });
    assert.is(await ask(), `${origin}/fetched`);
    await setMeta({ pluginConfigUrl, pluginManifest: { name: 'Clock', settingsPage: './clock.html' } });
    assert.is(await ask(), `${origin}/notes/clock.html`);
    for (const settingsPage of [7, 'https://evil.example/x', './x?y', '//evil.example/']) {
      await setMeta({ pluginConfigUrl, pluginManifest: { name: 'Clock', settingsPage } });
      assert.is(await ask(), 'unusable-integration', String(settingsPage));
    }
    await setMeta({ pluginManifest: usableManifest });
    assert.is(await ask(), 'unusable-integration');
    assert.is(await ask(await addPaper({ pluginConfigUrl }, 'image')), 'unusable-integration');
  }));

test('an integration that asks for no push is shown without a word on what it lacks; for one that asks it is named', () =>
  withWorld(async ({ call, addPerson, paperId, origin, manifests }) => {
    const as = await addPerson('admin');
    const configUrl = `${origin}/notes/config.json`;
    const look = async (manifest: object) => {
      manifests.set(configUrl, { ok: true, manifest: { name: 'Clock', renderPage: './clock.html', ...manifest } });
      const { body } = await call('POST', `/papers/${paperId}/manifest`, { as, body: { configUrl } });
      return [body.pushes, body.whyNoPush];
    };
    assert.equal(await look({}), [false, undefined]);
    assert.equal(await look({ capabilities: {} }), [false, undefined]);
    const capabilities = { contentPush: { callbackPath: './hook' } };
    assert.equal(await look({ capabilities }), [false, 'the manifest: settingsPage is missing or malformed']);
    assert.equal(await look({ capabilities, settingsPage: './settings.html' }), [true, undefined]);
  }));

test.run();
