/** Words on glass: as large as they fit, and parted where their language parts them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageFrame } from '../../api/pages/document.ts';
import { hyphenate } from '../../api/pages/hyphenate.ts';
import { textPage } from '../../api/pages/text-page.ts';
import { epd7, type Orientation, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { chanceOf } from '../../testbed/offline/machine/chance.ts';
import { manyTimes } from '../some-times.ts';
import { type DrawnForTests, drawnPage, fittedText } from './drawn-page.ts';

const test = suite('fitted words');

function frameOf(panel: Panel, orientation: Orientation, language = 'en'): PageFrame {
  return { ...viewSize(panel, orientation), language, colours: panel.colours };
}

/** The box around all ink, as shares of the picture's sides. */
function filled({ gray, width, height }: DrawnForTests): { readonly across: number; readonly down: number } {
  const [columns, rows] = [new Set<number>(), new Set<number>()];
  gray.forEach((value, at) => {
    if (value > 100) return;
    columns.add(at % width);
    rows.add(Math.floor(at / width));
  });
  const span = (places: Set<number>): number => (places.size === 0 ? 0 : Math.max(...places) - Math.min(...places));
  return { across: span(columns) / width, down: span(rows) / height };
}

/** The width of each line of text, as a share of the picture's. */
function linesOf({ gray, width, height }: DrawnForTests): number[] {
  const lines: number[] = [];
  let widest = 0;
  for (let row = 0; row < height; row++) {
    const last = gray.subarray(row * width, (row + 1) * width).findLastIndex((value) => value <= 100);
    if (last < 0 && widest > 0) lines.push(widest / width);
    widest = last < 0 ? 0 : Math.max(widest, last);
  }
  return lines;
}

const words = (text: string) => ({ title: undefined, text, footer: undefined });

async function fillsPanels(names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (const orientation of ['landscape', 'portrait'] as const) {
      for (const text of ['Hi', 'Back at noon']) {
        const drawn = await drawnPage(textPage(frameOf(panels[name] as Panel, orientation), words(text)));
        const { across, down } = filled(drawn);
        assert.ok(across > 0.7 || down > 0.4, `${name} ${orientation} ${text}: ${across} across, ${down} down`);
        assert.ok(across < 1 && down < 1, `${name} ${orientation} ${text}: all of it is on the panel`);
      }
    }
  }
}

test('one word and three words are as large as they fit on every panel', () => fillsPanels(Object.keys(panels)));

test('a word that is longer than its line is parted where its language parts it', async () => {
  const parts = (word: string, language: string) =>
    (hyphenate([word], language)[word] ?? word).replaceAll('\u00ad', '-');
  const parted = {
    de: 'Do-nau-dampf-schiff-fahrts-ge-sell-schaft',
    'de-AT': 'Ge-schwin-dig-keits-be-gren-zung',
    en: 'in-ter-na-tion-al-iza-tion',
    es: 'elec-tro-en-ce-fa-lo-gra-fis-ta',
    fr: 'an-ti-cons-ti-tu-tion-nel-le-ment',
    it: 'pre-ci-pi-te-vo-lis-si-me-vol-men-te',
    nl: 'ar-beids-on-ge-schikt-heids-ver-ze-ke-ring',
    pl: 'kon-stan-ty-no-po-li-tań-czy-ko-wia-necz-ka',
    'pt-BR': 'in-cons-ti-tu-ci-o-na-lis-si-ma-men-te',
  };
  for (const [language, word] of Object.entries(parted)) {
    assert.is(parts(word.replaceAll('-', ''), language), word, language);
    assert.is(parts(`„${word.replaceAll('-', '')}!“`, language), `„${word}!“`, `${language}: signs around it`);
  }
  for (const address of [
    'https://example.org/verwaltung',
    'verwaltung@example.org',
    '4711-0815-123456',
    'example.org',
  ]) {
    assert.is(parts(address, 'de'), address);
  }
  assert.is(parts('verwaltungsgericht', 'vo'), 'ver-w-a-l-t-u-n-g-s-g-e-r-i-cht', 'a language without patterns');
  assert.is(parts('東京都庁第一本庁舎', 'ja'), '東京都庁第一本庁舎');

  const draw = (text: string, language: string) =>
    drawnPage(textPage(frameOf(epd7, 'portrait', language), words(text)));
  const word = parted.de;
  const byLanguage = await draw(word.replaceAll('-', ''), 'de');
  const lines = linesOf(byLanguage);
  const own = linesOf(await draw(word.replaceAll('-', '\u00ad'), 'de'));
  assert.is(lines.length, own.length, 'as with hyphens of its own');
  for (const [at, width] of lines.entries()) assert.ok(Math.abs(width - (own[at] ?? 0)) < 0.03, `line ${at}`);
  const inFinnish = await draw(word.replaceAll('-', ''), 'fi');
  assert.not.equal(byLanguage.gray, inFinnish.gray, 'and unlike in another language');
});

const pieces = [
  'a',
  'of the',
  'pancakes',
  'Donaudampfschifffahrtsgesellschaft',
  'naïve',
  'Привет',
  'שלום',
  'مرحبا',
  '12:30',
  'https://example.org/a/long/way',
  '–',
  '\n',
  '\n\n',
] as const;

test('whatever a text says, all of it is drawn within its panel, in lines that end with their words', async () => {
  const names = Object.keys(panels);
  for (let seed = 0; seed < manyTimes('random texts', 300, 40); seed++) {
    const chance = chanceOf(`fitted ${seed}`);
    const panel = panels[chance.pick(names)] as Panel;
    const frame = frameOf(panel, chance.pick(['landscape', 'portrait']), chance.pick(['en', 'de', 'he', 'ar', 'ru']));
    const said = Array.from({ length: chance.whole(1, 40) }, () => chance.pick(pieces)).join(' ');
    const page = textPage(frame, {
      title: chance.hits(0.3) ? said.slice(0, 40) : undefined,
      text: said,
      footer: undefined,
    });
    const where = `seed ${seed}: ${panel.name} ${frame.width}x${frame.height} ${frame.language}`;
    const { gray, width, height } = await drawnPage(page);
    const isEdge = (_: number, at: number) => at < width || at >= (height - 1) * width || at % width === 0;
    assert.ok(
      gray.filter(isEdge).every((value) => value > 200),
      `${where}: ink touches an edge`,
    );
    const written = (await fittedText(page)).replace(/[\u00ad\u2010\u2068\u2069\s-]/g, '');
    const wanted = said.trim().replace(/[\u00ad\u2010\s-]/g, '');
    assert.ok(written.endsWith(wanted) || written.endsWith('…'), `${where}: ${written} is not ${wanted}`);
  }
});

test.run();
