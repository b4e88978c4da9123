/** Archives: what is read of them, and what is refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BadArchive, readArchive } from '../../api/recipes/package/read-archive.ts';
import { layouts, viewOf } from '../../api/recipes/package/recipe.ts';
import { NoRecipe, recipeOfFiles } from '../../api/recipes/package/recipe-files.ts';
import { UnusableSettings } from '../../api/recipes/package/recipe-settings.ts';
import { type ZipEntry, zip } from './zip.ts';

const test = suite('archives of recipes');

const settings = { name: 'settings.yml', text: 'name: Board\nstrategy: static\nstatic_data: ""\n' };
const full = { name: 'full.liquid', text: 'full {{ a }}' };

const filesOf = (...entries: ZipEntry[]): Promise<ReadonlyMap<string, string>> => readArchive(zip(entries));

async function refusal(read: () => unknown): Promise<string> {
  try {
    await read();
    return 'read';
  } catch (error) {
    if (error instanceof BadArchive || error instanceof NoRecipe || error instanceof UnusableSettings)
      return error.code;
    throw error;
  }
}

const archiveRefusal = (...entries: ZipEntry[]): Promise<string> => refusal(() => filesOf(...entries));

test('RC-1: a flat archive is a recipe, and what does not belong to one is not even unpacked', async () => {
  const files = await filesOf(
    settings,
    full,
    { name: 'quadrant.liquid', text: 'small' },
    { name: 'shared.liquid', text: '{% assign a = 1 %}' },
    { name: 'transform.js', text: 'function run(i) { return i; }' },
    { name: '.trmnlp.yml', text: 'custom_fields: {}' },
    { name: 'photo.png', text: Buffer.alloc(5 * 2 ** 20) },
    { name: 'LICENSE', text: 'MIT' },
  );
  assert.equal([...files.keys()].sort(), [
    'LICENSE',
    'full.liquid',
    'quadrant.liquid',
    'settings.yml',
    'shared.liquid',
    'transform.js',
  ]);
  const recipe = recipeOfFiles(files);
  assert.is(recipe.settings.name, 'Board');
  assert.equal(recipe.views, { full: '{% assign a = 1 %}\nfull {{ a }}', quadrant: '{% assign a = 1 %}\nsmall' });
  assert.is(recipe.transform, 'function run(i) { return i; }');
});

test('RC-4: a layout that a recipe lacks is drawn as the whole screen is', async () => {
  const recipe = recipeOfFiles(await filesOf(settings, full, { name: 'quadrant.liquid', text: 'small' }));
  assert.equal(
    layouts.map((layout) => viewOf(recipe, layout).trim()),
    ['full {{ a }}', 'full {{ a }}', 'full {{ a }}', 'small'],
  );
  const only = recipeOfFiles(
    await filesOf(settings, { name: 'quadrant.liquid', text: 'small' }, { ...full, text: ' \n' }),
  );
  assert.is(viewOf(only, 'full').trim(), 'small');
});

test('RC-2: the folder of a repository is found, and named where there are several', async () => {
  const within = (folder: string): ZipEntry[] => [
    { ...settings, name: `${folder}settings.yml` },
    { ...full, name: `${folder}full.liquid`, text: folder },
  ];
  assert.is(viewOf(recipeOfFiles(await filesOf(...within('repo-main/src/'))), 'full').trim(), 'repo-main/src/');
  const several = await filesOf(...within('repo-main/weather/'), ...within('repo-main/trains/src/'));
  assert.is(await refusal(() => recipeOfFiles(several)), 'recipe-several');
  for (const folder of ['trains', '/trains/', 'trains/src', 'repo-main/trains/src']) {
    assert.is(viewOf(recipeOfFiles(several, folder), 'full').trim(), 'repo-main/trains/src/', folder);
  }
  assert.is(await refusal(() => recipeOfFiles(several, 'train')), 'recipe-no-settings');
  assert.is(await refusal(() => recipeOfFiles(several, '../weather')), 'recipe-no-settings');
  try {
    recipeOfFiles(several, 'elsewhere');
    assert.unreachable();
  } catch (error) {
    assert.equal(error instanceof NoRecipe && error.folders, ['repo-main/weather/', 'repo-main/trains/src/']);
  }
});

test('what is not a recipe is refused with a code', async () => {
  assert.is(await refusal(() => recipeOfFiles(new Map())), 'recipe-no-settings');
  const refused = async (...entries: ZipEntry[]): Promise<string> => {
    const files = await filesOf(...entries);
    return await refusal(() => recipeOfFiles(files));
  };
  assert.is(await refused(full), 'recipe-no-settings');
  assert.is(await refused(settings), 'recipe-no-markup');
  assert.is(await refused(settings, { name: 'shared.liquid', text: 'x' }), 'recipe-no-markup');
  for (const ending of ['py', 'rb', 'php']) {
    assert.is(await refused(settings, full, { name: `transform.${ending}`, text: 'x' }), 'recipe-language');
  }
  assert.is(await refused({ ...settings, text: 'a: [b' }, full), 'recipe-settings-unreadable');
});

test('names that lead out of the archive spoil all of it', async () => {
  for (const name of ['../full.liquid', 'a/../../full.liquid', '/full.liquid', 'C:/full.liquid', '..\\full.liquid']) {
    assert.is(await archiveRefusal(settings, { name, text: 'x' }), 'archive-hostile', name);
  }
});

test('a link spoils all of it, whatever its name', async () => {
  for (const name of ['full.liquid', 'photo.png', 'src']) {
    assert.is(await archiveRefusal(settings, { name, text: '/etc/hostname', mode: 0o120777 }), 'archive-hostile', name);
  }
});

test('a bomb is refused by the sizes that it claims, and by its bytes where it lies', async () => {
  const mega = 2 ** 20;
  assert.is(await archiveRefusal(settings, { ...full, text: Buffer.alloc(mega) }), 'read');
  assert.is(await archiveRefusal(settings, { ...full, text: Buffer.alloc(mega + 1) }), 'archive-too-large');
  assert.is(await archiveRefusal(settings, { ...full, text: Buffer.alloc(40 * mega) }), 'archive-too-large');
  assert.is(
    await archiveRefusal(settings, { ...full, text: Buffer.alloc(40 * mega), claimedBytes: 10 }),
    'archive-unreadable',
  );
  const parts = Array.from({ length: 5 }, (_, at) => ({ name: `part${at}.liquid`, text: Buffer.alloc(0.9 * mega) }));
  assert.is(await archiveRefusal(settings, ...parts), 'archive-too-large');
});

test('so many files are not a recipe', async () => {
  const many = (count: number, ending: string): ZipEntry[] =>
    Array.from({ length: count }, (_, at) => ({ name: `f${at}.${ending}`, text: '' }));
  assert.is(await archiveRefusal(...many(401, 'liquid')), 'archive-too-large');
  assert.is(await archiveRefusal(...many(5_001, 'png')), 'archive-too-large');
  assert.is(await archiveRefusal(...many(400, 'png'), settings), 'read');
});

test('bytes that are not an archive are refused', async () => {
  const whole = zip([settings, full]);
  const packed = whole.indexOf('full.liquid') + 12;
  const broken = Buffer.from(whole);
  broken.fill(0xff, packed, packed + 8);
  for (const bytes of [Buffer.alloc(0), Buffer.from('PK'), Buffer.from('<html>'), whole.subarray(0, -30), broken]) {
    assert.is(await refusal(() => readArchive(bytes)), 'archive-unreadable');
  }
  assert.is(await refusal(() => readArchive(new Uint8Array(whole))), 'read');
});

test.run();
