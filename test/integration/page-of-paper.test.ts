/** Where the page of a plugin paper is, with and without content push. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageOfPaper } from '../../api/integration/page-of-paper.ts';
import { notSetUp } from '../../api/papers/kinds.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { connect, push, usableManifest, type World, withWorld } from './integration-world.ts';

const test = suite('page of a paper');

const configUrl = 'https://plain.example/clock/config.json';

async function pageOf(world: World, meta: object, kind = 'plugin') {
  const { db } = world;
  const { settings: rules, fetchManifest } = world.deps;
  return pageOfPaper({ db, rules, fetchManifest }, await world.addPaper(meta, kind));
}

test('A-29: an integration without content push needs a render page alone, wherever it is', async () => {
  await withWorld(async (world) => {
    const pages: Record<string, string> = {
      './render.html': 'https://plain.example/clock/render.html',
      'render.html': 'https://plain.example/clock/render.html',
      '/render': 'https://plain.example/render',
      'https://elsewhere.example/render': 'https://elsewhere.example/render',
    };
    for (const [renderPage, url] of Object.entries(pages)) {
      const manifest = { name: 'Clock', version: '1', renderPage };
      assert.equal(await pageOf(world, { pluginConfigUrl: configUrl, pluginManifest: manifest }), { url, manifest });
    }
    for (const renderPage of [
      'http://plain.example/',
      '//elsewhere.example/',
      'https://10.0.0.1/',
      '../x',
      'file:///x',
      '',
      7,
    ]) {
      const found = await pageOf(world, { pluginConfigUrl: configUrl, pluginManifest: { renderPage } });
      assert.ok('problem' in found, String(renderPage));
    }
  });
});

test('A-29: a manifest that is not saved is fetched', async () => {
  await withWorld(async (world) => {
    const manifest = { name: 'Clock', renderPage: './render.html', language: ['de'] };
    assert.equal(await pageOf(world, { pluginConfigUrl: configUrl }), {
      problem: reasonOf('manifest-not-fetched', { because: reasonOf('answer-status', { status: 404 }) }),
    });
    world.manifests.set(configUrl, { ok: true, manifest });
    const found = await pageOf(world, { pluginConfigUrl: configUrl });
    assert.equal(found, { url: 'https://plain.example/clock/render.html', manifest });
    for (const meta of [{}, { pluginConfigUrl: '' }]) {
      assert.equal(await pageOf(world, meta), { problem: notSetUp.plugin });
    }
  });
});

test('PAGE-21: a page that gets pushed content is the saved integration’s and no other', async () => {
  await withWorld(async (world) => {
    const connection = await connect(world, await world.addPerson('user'));
    assert.is((await push(world, connection, { messageId: 'one', text: 'secret' })).status, 202);
    const { db } = world;
    const { settings: rules, fetchManifest } = world.deps;
    const now = () => pageOfPaper({ db, rules, fetchManifest }, world.paperId);
    const render = `${world.origin}/notes/render.html`;
    const pluginConfigUrl = `${world.origin}/notes/config.json`;
    const saved = { url: render, configUrl: pluginConfigUrl };
    assert.equal(await now(), { ...saved, manifest: { ...usableManifest } });
    await world.setMeta({ pluginConfigUrl, pluginManifest: { name: 'x', renderPage: 'https://thief.example/' } });
    assert.ok('problem' in (await now()));
    await world.setMeta({ pluginConfigUrl });
    assert.equal(await now(), { ...saved, manifest: undefined });
    await world.setMeta({ pluginConfigUrl: configUrl, pluginManifest: { renderPage: './r' } });
    assert.equal(await now(), { url: 'https://plain.example/clock/r', manifest: { renderPage: './r' } });
  });
});

test.run();
