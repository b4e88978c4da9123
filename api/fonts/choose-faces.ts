/** Chooses the fonts of this machine that draw characters for paper: plain upright letters, of as few fonts as possible. */
import type { FontFace } from './read-faces.ts';

const isEmoji = /[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const hangul = /\p{Script=Hangul}/u;
const isEastAsian =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\u3000-\u30ff\uff00-\uffef]/u;

/** The forms of Chinese characters, by the names of the fonts that draw them. */
const forms = {
  JP: /\bJP\b|Hiragino|Meiryo|\bYu ?Gothic|\bMS P?Gothic|\bIPA|Takao|\bVL P?Gothic/i,
  KR: /\bKR\b|Malgun|Apple SD Gothic|Nanum|Baekmuk|\bUn ?Dotum/i,
  SC: /\bSC\b|YaHei|WenQuanYi|SimHei|Droid Sans Fallback/i,
  TC: /\bTC\b|JhengHei/i,
  HK: /\bHK\b/i,
} as const;
type EastAsianForm = keyof typeof forms;

/** The letters of a script are drawn by one font where one has all: characters that are chosen together. */
interface Group {
  readonly kind: 'emoji' | 'east-asian' | 'text';
  readonly points: readonly number[];
}

/**
 * Returns the fonts for some characters, in the order in which they are to be asked for each.
 * @param points code points in ascending order; those that no font has are passed over
 * @param language the language of the page as a tag, which decides between the forms of Chinese characters
 */
export function chooseFaces(
  faces: readonly FontFace[],
  points: readonly number[],
  language: string,
): readonly FontFace[] {
  const text = points.map((point) => String.fromCodePoint(point)).join('');
  const order = formsFor(language, text);
  const chosen: FontFace[] = [];
  for (const { kind, points: asked } of groupsOf(points)) {
    let left = asked.filter((point) => !chosen.some(({ coverage }) => coverage.has(point)));
    while (left.length > 0) {
      const best = bestFor(faces, left, (face) => unfitness(face, kind, order));
      if (best === undefined) break;
      chosen.push(best);
      left = left.filter((point) => !best.coverage.has(point));
    }
  }
  return chosen;
}

/** Returns the bold font of a font's family, if there is one. */
export function boldOf(face: FontFace, faces: readonly FontFace[]): FontFace | undefined {
  if (face.weights[1] >= 600 || face.family === '') return undefined;
  return faces.find(
    ({ family, weights, isSlanted, isCondensed }) =>
      family === face.family &&
      weights[0] >= 600 &&
      weights[0] <= 800 &&
      !isSlanted &&
      isCondensed === face.isCondensed,
  );
}

/** Letters first: their fonts have the symbols of most pages, too. */
function groupsOf(points: readonly number[]): readonly Group[] {
  const groups = new Map<string, { kind: Group['kind']; points: number[] }>();
  for (const point of points) {
    const character = String.fromCodePoint(point);
    const kind = isEmoji.test(character) ? 'emoji' : isEastAsian.test(character) ? 'east-asian' : 'text';
    // Scripts lie in blocks of 128 characters, or in several of them.
    const key = kind === 'text' ? `${kind} ${point >> 7}` : kind;
    const group = groups.get(key) ?? { kind, points: [] };
    group.points.push(point);
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => Number(one.kind === 'emoji') - Number(other.kind === 'emoji'));
}

/** Returns the forms of Chinese characters that a reader knows best, the best first. */
function formsFor(language: string, text: string): readonly EastAsianForm[] {
  const { language: spoken, script, region } = new Intl.Locale(language).maximize();
  if (spoken === 'ja') return ['JP'];
  if (spoken === 'ko') return ['KR'];
  if (spoken === 'yue' || (spoken === 'zh' && region === 'HK')) return ['HK', 'TC'];
  if (spoken === 'zh') return script === 'Hant' ? ['TC', 'HK'] : ['SC'];
  return kana.test(text) ? ['JP'] : hangul.test(text) ? ['KR'] : ['SC'];
}

/** Returns the font that is least unfit, then has most of the characters, then is named first among those we know. */
function bestFor(
  faces: readonly FontFace[],
  points: readonly number[],
  unfit: (face: FontFace) => number,
): FontFace | undefined {
  let best: { readonly face: FontFace; readonly order: readonly number[] } | undefined;
  for (const face of faces) {
    const count = points.filter((point) => face.coverage.has(point)).length;
    if (count === 0) continue;
    const order = [unfit(face), -count, renown(face)];
    const isBetter = best === undefined || compare(order, best.order) < 0;
    if (isBetter) best = { face, order };
  }
  return best?.face;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number);
}

/** A font that is read for whole scripts of East Asia, and not for a sign that smaller ones have, in bytes. */
const largeBytes = 4 * 1024 * 1024;

/** Returns how unfit a font is for paper; 0 for upright sans-serif letters of an ordinary weight. */
function unfitness(face: FontFace, kind: Group['kind'], order: readonly EastAsianForm[]): number {
  const [lightest, heaviest] = face.weights;
  const isOrdinary = lightest <= 500 && heaviest >= 400;
  const form = order.findIndex((name) => forms[name].test(face.family));
  const isOtherForm = kind === 'east-asian' && form < 0;
  return (
    (face.hasColours ? 64 : 0) +
    (face.isSlanted ? 32 : 0) +
    (isOtherForm ? 12 : kind === 'east-asian' ? form : 0) +
    (face.isFixed || /\bMono\b/.test(face.family) ? 16 : 0) +
    (isOrdinary ? 0 : 8) +
    (kind !== 'east-asian' && face.bytes > largeBytes ? 12 : 0) +
    (kind !== 'emoji' && face.hasSerifs ? 6 : 0) +
    (kind !== 'emoji' && face.isCondensed ? 4 : 0)
  );
}

/** Families that are drawn well, before others. */
const renowned = [/^Noto (?:Sans|Emoji)/, /^(?:Symbola|DejaVu Sans|Segoe UI|Liberation Sans|Arial|Helvetica)/];

function renown({ family }: FontFace): number {
  const place = renowned.findIndex((name) => name.test(family));
  return place < 0 ? renowned.length : place;
}
