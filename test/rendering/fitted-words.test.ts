/** Words on glass: as large as they fit, and parted where their language parts them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageFrame } from '../../api/pages/document.ts';
import { hyphenate } from '../../api/pages/hyphenate.ts';
import { textPage } from '../../api/pages/text-page.ts';
import { epd7, type Orientation, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';
import { type DrawnForTests, drawnPage } from './drawn-page.ts';

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

test.run();
