/** Recipes that are taken in: the addresses that people name, and what comes from them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { archiveAddress, importFrom, importRecipe } from '../../api/recipes/import-recipe.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';
import { withRecipeThreads } from './work-world.ts';
import { zip } from './zip.ts';

const test = suite('recipes that are taken in');

const settings = 'name: Board\nstrategy: static\n';
const sharer = ['house'];

/** Returns the words of a refusal, or an empty text. */
async function refusal(taking: Promise<unknown>): Promise<string> {
  try {
    await taking;
    return '';
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

test('an address is that of a repository, a folder of one, a recipe of the catalogue, or an archive', () => {
  const places: readonly (readonly [written: string, read: string])[] = [
    ['https://github.com/someone/weather', 'repository https://codeload.github.com/someone/weather/zip/HEAD '],
    ['https://github.com/someone/weather.git/', 'repository https://codeload.github.com/someone/weather/zip/HEAD '],
    [
      'https://github.com/someone/all/tree/main/src/a',
      'repository https://codeload.github.com/someone/all/zip/main src/a',
    ],
    [
      'https://github.com/someone/all/blob/v1/a/settings.yml',
      'repository https://codeload.github.com/someone/all/zip/v1 a',
    ],
    ['https://usetrmnl.com/recipes/4711', 'catalogue https://trmnl.com/api/plugin_settings/4711/archive '],
    ['https://trmnl.com/recipes/4711/install', 'catalogue https://trmnl.com/api/plugin_settings/4711/archive '],
    [' 4711 ', 'catalogue https://trmnl.com/api/plugin_settings/4711/archive '],
    ['https://a.example/recipe.zip', 'archive https://a.example/recipe.zip '],
    ['http://a.example/recipe.zip', ''],
    ['https://github.com/someone', ''],
    ['https://github.com/someone/all/issues/1', ''],
    ['file:///etc/hostname', ''],
    ['weather', ''],
    ['', ''],
  ];
  for (const [written, read] of places) {
    const address = archiveAddress(written);
    assert.is(address === undefined ? '' : `${address.kind} ${address.url.href} ${address.folder}`, read, written);
  }
});

test('a recipe is found in an archive or among files, with the licence next to it', async () => {
  const files = { 'settings.yml': settings, 'full.liquid': 'x', 'LICENSE.txt': 'MIT License\n\nCopyright' };
  const archive = zip(Object.entries(files).map(([name, text]) => ({ name: `repo-main/${name}`, text })));
  await withRecipeThreads(async ({ work }) => {
    for (const from of [{ files }, { archive }]) {
      const { recipe, licence } = await importRecipe({ work }, sharer, { from, folder: '' });
      assert.equal([recipe.settings.name, recipe.views.full?.trim(), licence], ['Board', 'x', 'MIT']);
    }
    const without = await importRecipe({ work }, sharer, {
      from: { files: { ...files, 'LICENSE.txt': 'Ask me' } },
      folder: '',
    });
    assert.is(without.licence, '');
  });
});

test('what cannot be taken in is refused with a sentence', async () => {
  const two = { 'a/settings.yml': settings, 'b/settings.yml': settings, 'a/full.liquid': 'x' };
  await withRecipeThreads(async ({ work }) => {
    const words = (files: Record<string, string>, folder = ''): Promise<string> =>
      refusal(importRecipe({ work }, sharer, { from: { files }, folder }));
    assert.match(await words(two), /there are several recipes \(a\/, b\/\)/);
    assert.match(await words(two, 'c'), /there is no settings\.yml there, but in a\/, b\//);
    assert.match(await words({}), /there is no settings\.yml:/);
    assert.match(
      await words({ 'settings.yml': 'strategy: plugin_merge', 'full.liquid': 'x' }),
      /plugins that TRMNL hosts/,
    );
    assert.match(await words({ 'settings.yml': 'a: [', 'full.liquid': 'x' }), /cannot be read as YAML/);
    assert.match(
      await refusal(importRecipe({ work }, sharer, { from: { archive: Buffer.from('no archive') }, folder: '' })),
      /not a zip archive/,
    );
  });
});

test('a recipe comes from the web alone, and one that is not there says so', async () => {
  const archive = zip([
    { name: 'settings.yml', text: settings },
    { name: 'full.liquid', text: 'x' },
  ]);
  await withReceiver(
    ({ path }, response) => {
      if (path === '/inside') response.writeHead(302, { location: 'https://192.168.1.5/recipe.zip' }).end();
      else if (path === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in');
      else response.writeHead(path === '/recipe.zip' ? 200 : 404).end(archive);
    },
    (receiver) =>
      withRecipeThreads(async ({ work }) => {
        const network = fakeNetwork(receiver.port, () => ['93.184.215.14']);
        const deps = { work, follow: { wayOut: openWayOut({ network, clock: handClock() }), home: noHomeNetworks } };
        const take = (path: string) =>
          importFrom(deps, sharer, { kind: 'archive', url: new URL(`https://a.example/${path}`), folder: '' });
        assert.is((await take('recipe.zip')).recipe.settings.name, 'Board');
        assert.match(await refusal(take('gone')), /a\.example: .*404/);
        assert.match(await refusal(take('page')), /not a zip archive/);
        assert.match(await refusal(take('inside')), /not public/);
      }),
  );
});

test.run();
