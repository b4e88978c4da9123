/** The fonts of our own pages: ours first, those of the machine for what ours lack, and broken ones passed over. */
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { boldOf, chooseFaces } from '../../api/fonts/choose-faces.ts';
import { readCmap } from '../../api/fonts/coverage.ts';
import { readFaceFile } from '../../api/fonts/face-file.ts';
import { machineFaces } from '../../api/fonts/machine-fonts.ts';
import { type FontFace, readFaces } from '../../api/fonts/read-faces.ts';
import { openPageFonts } from '../../api/typeset/page-fonts.ts';
import { fontFolders } from '../../runtime/font-folders.ts';

const test = suite('fonts of our own pages');

const dejavu = '/usr/share/fonts/truetype/dejavu';
const sans = `${dejavu}/DejaVuSans.ttf`;
const pointsOf = (text: string): number[] => [...text].map((one) => one.codePointAt(0) ?? 0).sort((a, b) => a - b);

/** Calls `run` with a folder that is removed afterwards. */
async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-fonts-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('letters of the West are drawn by our own fonts, and none of the machine is looked for', async () => {
  const { families, missing } = await openPageFonts(['/nowhere']).fontsFor(
    'Ωμέγα, Ярославль, “naïve” – 12 €\u0000\u200b\ud800',
    'en',
  );
  assert.equal([families.length, missing], [0, '']);
});

test('R-24: characters that no font has are reported, each once, and marks and spaces are not', async () => {
  const { families, missing } = await openPageFonts([]).fontsFor(
    'שלום\u05b0 \u2003 ש \u{105c0}\u{105c0} 👵\ufe0f',
    'he',
  );
  assert.equal([families.length, [...missing].sort().join('')], [0, 'ולםש\u{105c0}👵']);
});

test('a font of the machine draws what ours lack, with its bold one, and it draws the same after other pages', async () => {
  const fonts = openPageFonts(fontFolders());
  const draw = async (): Promise<Buffer> => {
    const { renderer, families, missing } = await fonts.fontsFor('שלום مرحبا', 'he');
    assert.equal([families.length, missing], [1, '']);
    const word = (text: string) => ({ type: 'text' as const, text });
    const children = [word('שלום'), { ...word('مرحبا'), style: { fontWeight: 700 } }];
    const style = { width: 200, height: 60, backgroundColor: '#fff', fontFamily: 'Inter' };
    const fontFamilies = ['Inter', 'Literata', ...families];
    return renderer.render(
      { type: 'container', style, children },
      { width: 200, height: 60, format: 'raw', fontFamilies },
    );
  };
  const first = await draw();
  assert.ok(first.some((value) => value < 64));
  assert.is((await fonts.fontsFor('→ ☀ ⅓ ᚠ', 'en')).families.length > 0, true);
  assert.ok(first.equals(await draw()));
});

test('a renderer that holds many fonts of the machine is made again, and one page never holds more than the bound', async () => {
  const fonts = openPageFonts([dejavu], 1_000_000);
  const first = await fonts.fontsFor('שלום', 'he');
  assert.is((await fonts.fontsFor('مرحبا', 'ar')).renderer, first.renderer, 'the same font');
  // The tables of the sans-serif font have 750 kB, those of the mathematical one 580 kB.
  const faces = machineFaces([dejavu]);
  const mathematical = pointsOf('𝔸𝒜').find((point) => faces.some(({ coverage }) => coverage.has(point))) ?? 0;
  const other = await fonts.fontsFor(`${String.fromCodePoint(mathematical)}𝓐`, 'en');
  assert.is.not(other.renderer, first.renderer);
  const none = await openPageFonts([dejavu], 1_000).fontsFor('ש', 'he');
  assert.equal([none.families.length, none.missing], [0, 'ש']);
});

test('the facts of a font are read of its tables, and a font of a collection is a file of its own', async () => {
  await withFolder(async (folder) => {
    const [face, ...others] = readFaces(sans);
    assert.ok(face !== undefined && others.length === 0);
    const { family, weights, isSlanted, isCondensed, isFixed, hasSerifs, hasColours } = face;
    assert.equal({ family, weights }, { family: 'DejaVu Sans', weights: [400, 400] });
    assert.not.ok(isSlanted || isCondensed || isFixed || hasSerifs || hasColours);
    assert.equal(
      ['ש', 'ب', 'A', '日', '\u{105c0}'].map((letter) => face.coverage.has(letter.codePointAt(0) ?? 0)),
      [true, true, true, false, false],
    );
    const [mono] = readFaces(`${dejavu}/DejaVuSansMono.ttf`);
    const [slanted] = readFaces(`${dejavu}/DejaVuSerif-BoldItalic.ttf`);
    assert.equal(
      [mono?.isFixed, slanted?.isSlanted, slanted?.hasSerifs, slanted?.weights],
      [true, true, true, [700, 700]],
    );
    // A collection of the two: a head, and both files with their tables moved.
    const files = [await readFile(sans), await readFile(`${dejavu}/DejaVuSerif.ttf`)];
    const path = join(folder, 'both.ttc');
    await writeFile(path, collectionOf(files));
    const faces = readFaces(path);
    assert.equal(
      faces.map((one) => one.family),
      ['DejaVu Sans', 'DejaVu Serif'],
    );
    const file = join(folder, 'second.ttf');
    await writeFile(file, readFaceFile(faces[1] as FontFace));
    assert.is(readFaces(file)[0]?.family, 'DejaVu Serif');
    const { families, missing } = await openPageFonts([path, folder]).fontsFor('ש', 'he');
    assert.equal([families.length, missing], [1, '']);
  });
});

/** Puts fonts into one collection. */
function collectionOf(files: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12 + 4 * files.length);
  head.write('ttcf', 'latin1');
  head.writeUInt32BE(0x00010000, 4);
  head.writeUInt32BE(files.length, 8);
  let at = head.length;
  const parts = files.map((file, place) => {
    const moved = Buffer.from(file);
    head.writeUInt32BE(at, 12 + 4 * place);
    for (let table = 0; table < moved.readUInt16BE(4); table++) {
      const offset = 12 + 16 * table + 8;
      moved.writeUInt32BE(moved.readUInt32BE(offset) + at, offset);
    }
    at += moved.length;
    return moved;
  });
  return Buffer.concat([head, ...parts]);
}

test('fonts that are broken are passed over: cut, empty, of zeros, with tables elsewhere, folders of links in a circle', async () => {
  await withFolder(async (folder) => {
    const whole = await readFile(sans);
    const tableAt = (tag: string): number => whole.indexOf(tag, 12, 'latin1');
    const withTable = (tag: string, field: 8 | 12, value: number): Buffer => {
      const changed = Buffer.from(whole);
      changed.writeUInt32BE(value, tableAt(tag) + field);
      return changed;
    };
    const cmapAt = whole.readUInt32BE(tableAt('cmap') + 8);
    const cmapOf = (change: (cmap: Buffer) => void): Buffer => {
      const changed = Buffer.from(whole);
      change(changed.subarray(cmapAt));
      return changed;
    };
    const broken: Readonly<Record<string, Buffer>> = {
      empty: Buffer.alloc(0),
      zeros: Buffer.alloc(200_000),
      noise: Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7_919) % 251)),
      'cut in its tables': whole.subarray(0, 100),
      'cut in the middle': whole.subarray(0, whole.length / 2),
      'cmap beyond the end': withTable('cmap', 8, 0xfffffff0),
      'cmap of four gigabytes': withTable('cmap', 12, 0xffffffff),
      'glyphs beyond the end': withTable('glyf', 8, 0xfffffff0),
      'many tables': Buffer.from(whole).fill(0xff, 4, 6),
      'subtables beyond the table': cmapOf((cmap) => cmap.fill(0xff, 4, 40)),
      'a collection of millions': Buffer.from('747463660001000000ffffff', 'hex'),
    };
    for (const [name, bytes] of Object.entries(broken)) await writeFile(join(folder, `${name}.ttf`), bytes);
    await mkdir(join(folder, 'below'));
    await symlink(folder, join(folder, 'below', 'above'));
    await symlink('/nowhere/font.ttf', join(folder, 'gone.ttf'));
    await copyFile(`${dejavu}/DejaVuSans.ttf`, join(folder, 'below', 'whole.ttf'));
    const faces = machineFaces([folder, join(folder, 'below'), '/proc/1/root/fonts', `${folder}/zeros.ttf`]);
    assert.ok(faces.some(({ path }) => path.endsWith('whole.ttf')));
    assert.is(faces.filter(({ path }) => path.endsWith('whole.ttf')).length, 1);
    const { families, missing } = await openPageFonts([folder]).fontsFor('ש', 'he');
    assert.equal([families.length, missing], [1, ''], 'the whole one is taken in place of those whose glyphs are gone');
  });
});

test('a hostile cmap is read within its bounds', () => {
  const cmap = (format: 4 | 12, table: Buffer): Buffer => {
    const head = Buffer.from([0, 0, 0, 1, 0, 3, 0, format === 4 ? 1 : 10, 0, 0, 0, 12]);
    return Buffer.concat([head, table]);
  };
  const groups = (...numbers: number[]): Buffer => {
    const table = Buffer.alloc(16 + 4 * numbers.length);
    table.writeUInt16BE(12, 0);
    table.writeUInt32BE(numbers.length / 3, 12);
    numbers.forEach((value, at) => void table.writeUInt32BE(value, 16 + 4 * at));
    return table;
  };
  const all = readCmap(cmap(12, groups(0, 0xffffffff, 0)), 300);
  assert.equal([all.has(0), all.has(1), all.has(299), all.has(300)], [false, true, true, false]);
  assert.throws(() => readCmap(cmap(12, groups(9, 9, 1, 3, 4, 1)), 300), /out of order/);
  assert.throws(() => readCmap(cmap(12, groups(9, 3, 1)), 300), /out of order/);
  const countless = groups(9, 9, 1);
  countless.writeUInt32BE(0xffffffff, 12);
  assert.throws(() => readCmap(cmap(12, countless), 300), RangeError);
  // A thousand segments, each of the whole first plane.
  const segments = Buffer.alloc(16 + 8 * 1_000);
  segments.writeUInt16BE(4, 0);
  segments.writeUInt16BE(2_000, 6);
  segments.fill(0xff, 14, 14 + 2_000);
  assert.throws(() => readCmap(cmap(4, segments), 300), /out of order/);
});

/** A font as it would be chosen, which has some characters. */
const faceOf = (family: string, text: string, facts: Partial<FontFace> = {}): FontFace => ({
  path: `/${family}`,
  directoryAt: 0,
  isOfCollection: false,
  bytes: 1_000,
  family,
  weights: [400, 400],
  isSlanted: false,
  isCondensed: false,
  isFixed: false,
  hasSerifs: false,
  hasColours: false,
  coverage: { has: (point) => text.includes(String.fromCodePoint(point)) },
  ...facts,
});

test('plain upright letters are chosen before others, the fewest fonts, and those of one hue for emoji', () => {
  const names = (faces: readonly FontFace[], text: string, language = 'en'): string[] =>
    chooseFaces(faces, pointsOf(text), language).map(({ family }) => family);
  const hebrew = 'שלום';
  const poor = [
    faceOf('Noto Sans Mono', hebrew, { isFixed: true }),
    faceOf('Noto Serif Hebrew', hebrew, { hasSerifs: true }),
    faceOf('Noto Sans Hebrew', hebrew, { isSlanted: true }),
    faceOf('Noto Sans Hebrew', hebrew, { weights: [900, 900] }),
  ];
  assert.equal(names(poor, hebrew), ['Noto Serif Hebrew']);
  assert.equal(names([...poor, faceOf('Unknown', hebrew), faceOf('DejaVu Sans', hebrew)], hebrew), ['DejaVu Sans']);
  assert.equal(names([faceOf('Noto Sans Hebrew', 'של'), faceOf('Unknown', hebrew)], hebrew), ['Unknown']);
  const han = '直骨ひ';
  const cjk = ['JP', 'KR', 'SC', 'TC', 'HK'].map((form) =>
    faceOf(`Noto Sans CJK ${form}`, `${han}한☃`, { bytes: 2e7 }),
  );
  const chosen = ['ja', 'ko', 'zh', 'zh-TW', 'zh-Hant', 'zh-HK', 'en'].map((tag) => names(cjk, '直骨', tag).join());
  assert.equal(
    chosen,
    ['JP', 'KR', 'SC', 'TC', 'TC', 'HK', 'SC'].map((form) => `Noto Sans CJK ${form}`),
  );
  assert.equal(names(cjk, han), ['Noto Sans CJK JP'], 'a page with kana is Japanese');
  assert.equal(names(cjk, '한'), ['Noto Sans CJK KR']);
  assert.equal(names([...cjk, faceOf('Small Serif', '☃', { hasSerifs: true })], '☃'), ['Small Serif']);
  const colour = faceOf('Noto Color Emoji', '😀👵', { hasColours: true });
  assert.equal(names([colour, faceOf('Symbola', '😀', { isCondensed: true })], '😀👵'), [
    'Symbola',
    'Noto Color Emoji',
  ]);
  const [plain, bold] = [faceOf('A', 'ש'), faceOf('A', 'ש', { weights: [700, 700] })];
  const others = [
    faceOf('A', 'ש', { weights: [700, 700], isSlanted: true }),
    faceOf('B', 'ש', { weights: [700, 700] }),
  ];
  assert.is(boldOf(plain, [...others, plain, bold]), bold);
  assert.is(boldOf(faceOf('A', 'ש', { weights: [100, 900] }), [bold]), undefined);
});

test.run();
