/** What the API tells a page that hosts a settings page, and whom. */
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

test('A-8: a foreign and an unknown paper answer alike, and only those who may change a paper are told', () =>
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

test('A-29: a manifest that is not saved is fetched; one without content push has a settings page too', () =>
  withWorld(async ({ call, addPerson, setMeta, addPaper, paperId, origin, manifests }) => {
    const as = await addPerson('admin');
    const ask = async (id = paperId) => {
      const { status, code, body } = await call('GET', `/papers/${id}/settings-page`, { as });
      return status === 200 ? body.settingsPage : code;
    };
    const pluginConfigUrl = `${origin}/notes/config.json`;
    await setMeta({ pluginConfigUrl });
    assert.is(await ask(), 'invalid-integration-configuration');
    manifests.set(pluginConfigUrl, { ok: true, manifest: { ...usableManifest, settingsPage: '/fetched' } });
    assert.is(await ask(), `${origin}/fetched`);
    await setMeta({ pluginConfigUrl, pluginManifest: { name: 'Clock', settingsPage: './clock.html' } });
    assert.is(await ask(), `${origin}/notes/clock.html`);
    for (const settingsPage of [undefined, '', 'https://evil.example/x', './x?y', '//evil.example/']) {
      await setMeta({ pluginConfigUrl, pluginManifest: { name: 'Clock', settingsPage } });
      assert.is(await ask(), 'invalid-integration-configuration', settingsPage);
    }
    await setMeta({ pluginManifest: usableManifest });
    assert.is(await ask(), 'configuration-not-saved');
    assert.is(await ask(await addPaper({ pluginConfigUrl }, 'image')), 'invalid-integration-configuration');
  }));

test.run();
