/** Words on a picture: letters in pure ink on every ground, in the size of their panel, without glyphs that nobody has. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fontFiles } from '../../api/fonts/own-fonts.ts';
import { glyphsOf } from '../../api/fonts/woff2-glyphs.ts';
import { createDitherWorkers, type DitherWorkers } from '../../api/inks/dithering/workers.ts';
import { preparePicture } from '../../api/inks/prepare-picture.ts';
import { drawWords, haloWidth, lettersSize } from '../../api/inks/words/draw-words.ts';
import { haloPixel, letterPixel } from '../../api/inks/words/ink-words.ts';
import { drawableLine } from '../../api/inks/words/letters-we-have.ts';
import { rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { sharer } from './render-world.ts';

const test = suite('picture words');

const wide = { width: 800, height: 480 };
const words = { lines: ['Zażółć gęślą jaźń', '12 maja 2024 · Łódź'], language: 'pl' };
const even = (background: string) =>
  sharp({ create: { ...wide, channels: 3, background } })
    .png()
    .toBuffer();

async function withWorkers(run: (workers: DitherWorkers) => Promise<void>): Promise<void> {
  const workers = createDitherWorkers(systemClock, 1);
  try {
    await run(workers);
  } finally {
    await workers.stop();
  }
}

/** The names of the inks of a prepared picture, as a person sees them. */
function inksOf(panel: Panel, file: Uint8Array): readonly string[] {
  const stored = unpackPicture(panel, file);
  assert.ok(stored instanceof Uint8Array);
  return Array.from(rotateToView(panel, 'landscape', stored), (index) => panel.colours[index]?.name ?? '');
}

const options = (panel: Panel) => ({ sharer, panel, orientation: 'landscape', fit: 'cover' }) as const;

test('letters are one ink and their halo is another, on light and dark grounds and on dots', () =>
  withWorkers(async (workers) => {
    const { mask } = await drawWords(words, wide);
    assert.ok(mask !== undefined);
    for (const [ground, letter, halo] of [
      ['#ffffff', 'black', 'white'],
      ['#b08060', 'black', 'white'],
      ['#000000', 'white', 'black'],
      ['#302840', 'white', 'black'],
    ] as const) {
      const image = await even(ground);
      const written = inksOf(epd7, (await preparePicture(image, { ...options(epd7), words }, workers)).file);
      const plain = inksOf(epd7, (await preparePicture(image, options(epd7), workers)).file);
      const start = mask.top * wide.width;
      for (const [pixel, ink] of written.entries()) {
        const value = mask.pixels[pixel - start];
        const wanted = value === letterPixel ? letter : value === haloPixel ? halo : plain[pixel];
        if (ink !== wanted) assert.unreachable(`${ground}, pixel ${pixel}: ${ink}`);
      }
    }
  }));

test('a picture without words is the same to the byte, and one whose words nobody can draw, too', () =>
  withWorkers(async (workers) => {
    const image = await even('#b08060');
    const plain = await preparePicture(image, options(epd7), workers);
    assert.not.ok('missing' in plain);
    const strange = await preparePicture(
      image,
      { ...options(epd7), words: { lines: ['日本 👵'], language: 'ja' } },
      workers,
    );
    assert.is(strange.sha256, plain.sha256);
    assert.is(strange.missing, '日本👵');
    const none = await preparePicture(image, { ...options(epd7), words: { lines: [], language: 'en' } }, workers);
    assert.is(none.sha256, plain.sha256);
    assert.is(none.sha256, createHash('sha256').update(plain.file).digest('hex'));
  }));

test('the same words are drawn in the same way on every panel', () =>
  withWorkers(async (workers) => {
    const image = await even('#b08060');
    for (const panel of [epd13, panels.gray10, panels.epaper].flatMap((one) => one ?? [])) {
      const draw = () => preparePicture(image, { ...options(panel), words }, workers);
      const { file, sha256, missing } = await draw();
      assert.is((await draw()).sha256, sha256);
      assert.is(missing, '');
      const { width, height } = viewSize(panel, 'landscape');
      const { mask } = await drawWords(words, { width, height });
      const inks = inksOf(panel, file);
      const at = mask?.pixels.indexOf(letterPixel) ?? -1;
      assert.is(inks[(mask?.top ?? 0) * width + at], 'black', panel.name);
    }
  }));

test('letters grow with the panel and never fill it', () => {
  assert.is(lettersSize(800, 480), 35);
  assert.is(lettersSize(1200, 1600), 45);
  assert.is(lettersSize(250, 122), 14);
  assert.is(haloWidth(lettersSize(800, 480)), 3);
});

test('a line that is too long ends with an ellipsis within the margin', async () => {
  const { mask } = await drawWords(
    { lines: ['Great-grandmother '.repeat(30), 'x'.repeat(5_000)], language: 'en' },
    wide,
  );
  assert.ok(mask !== undefined && mask.pixels.length === wide.width * (wide.height - mask.top));
  let inMargin = 0;
  for (const [pixel, value] of mask.pixels.entries()) {
    const x = pixel % wide.width;
    if (value === letterPixel && (x < 18 || x > wide.width - 18)) inMargin++;
  }
  assert.is(inMargin, 0);
  assert.ok(mask.top > wide.height - 140, `${mask.top}`);
});

test('the words of a pair stand below each of the two on a panel that lies, and in lines of both on one that stands', async () => {
  const pair = { lines: ['Tram', '1 July 2019'], beside: ['2 July 2019'], language: 'en' };
  const { mask } = await drawWords(pair, wide);
  assert.ok(mask !== undefined);
  const columns = Array.from({ length: wide.width }, (_, x) =>
    mask.pixels.some((value, pixel) => value === letterPixel && pixel % wide.width === x),
  );
  const first = (from: number): number => columns.indexOf(true, from) - from;
  assert.ok(first(0) < 40 && first(wide.width / 2) > 10 && first(wide.width / 2) < 40, `${first(wide.width / 2)}`);
  const alone = await drawWords({ lines: pair.lines, language: 'en' }, wide);
  assert.equal(
    [mask.top, mask.pixels.length],
    [alone.mask?.top, alone.mask?.pixels.length],
    'one has no more lines than two',
  );
  const right = await drawWords({ lines: [], beside: ['Porto'], language: 'en' }, wide);
  const isLeft = right.mask?.pixels.some(
    (value, pixel) => value === letterPixel && pixel % wide.width < wide.width / 2,
  );
  assert.is(isLeft, false, 'words of the second alone stay on its side');
  const tall = { width: wide.height, height: wide.width };
  const standing = await drawWords(pair, tall);
  const joined = await drawWords({ lines: ['Tram · 1 July 2019', '2 July 2019'], language: 'en' }, tall);
  assert.equal(standing.mask, joined.mask);
});

test('the smallest and the largest view have room for words', async () => {
  for (const [width, height] of [
    [104, 212],
    [212, 104],
    [40, 20],
    [3_200, 1_800],
  ] as const) {
    const { mask } = await drawWords(words, { width, height });
    assert.is(mask?.pixels.length, width * (height - (mask?.top ?? 0)));
  }
});

test('characters of other scripts and emoji are left out of a line and reported, each once', async () => {
  assert.equal(drawableLine('Zoë 👵 in 日本'), { line: 'Zoë in', missing: ['👵', '日', '本'] });
  assert.equal(drawableLine('שלום · 👨‍👩‍👧'), { line: '', missing: ['ש', 'ל', 'ו', 'ם', '👨‍👩‍👧'] });
  assert.equal(drawableLine('Привет, Ελλάδα, Việt Nam – „Łódź“ 12 €'), {
    line: 'Привет, Ελλάδα, Việt Nam – „Łódź“ 12 €',
    missing: [],
  });
  const { missing } = await drawWords({ lines: ['👵👵 a', 'b 👵本'], language: 'en' }, wide);
  assert.is(missing, '👵本');
});

test('hostile words are bounded', async () => {
  for (const line of [
    '\u0301'.repeat(10_000),
    '\u202e\u0000\ud800',
    '😀'.repeat(1_000),
    '<b>&amp;</b>{}',
    `a${'\u0300'.repeat(5_000)}`,
  ]) {
    const { mask } = await drawWords({ lines: [line, line, line], language: 'no such tag\u0000' }, wide);
    assert.ok(mask === undefined || mask.pixels.length < wide.width * 160);
  }
});

test('the glyphs of a font are read from its file', () => {
  const latin = fontFiles('Inter').find(({ script }) => script === 'latin');
  const glyphs = glyphsOf(latin?.bytes ?? Buffer.alloc(0));
  for (const letter of 'azAZ09ßé€…·') assert.ok(glyphs.has(letter.codePointAt(0) ?? 0), letter);
  for (const letter of ['ł', 'Ж', '日', '👵']) assert.not.ok(glyphs.has(letter.codePointAt(0) ?? 0), letter);
});

test.run();
