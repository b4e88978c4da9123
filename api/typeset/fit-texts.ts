/** Sets texts as large as they fit. */
import type { PageElement } from '../pages/element.ts';
import { everyElement, type Measure, type Place, type Places, longestWord } from './measure-page.ts';
import { cutText } from './cut-text.ts';
import { overflows } from './fit-words.ts';
import type { Changes } from './nodes.ts';
import { drawHyphens, partWords } from './part-words.ts';

/** Sizes are multiples of this, in rem. */
const step = 0.05;
/** A text keeps its words whole while its letters have this share of the size that they would have with broken ones. */
const wholeShare = 0.4;
/** Guesses from the size of what was laid; further ones halve what is left. */
const quickGuesses = 8;
const tolerancePx = 0.5;
/** Texts with parted words are tried in these steps, each smaller than the one before. */
const partedSteps = 0.94;

/** The page that is fitted. */
export interface Fitting {
  readonly root: PageElement;
  readonly changes: Changes;
  readonly measure: Measure;
  readonly language: string;
  readonly rootSize: number;
  /** Of the page, in pixels. */
  readonly height: number;
}

/** A text that is fitted, with its element of content. */
export interface FittedText {
  readonly box: PageElement;
  readonly content: PageElement;
  readonly most: number;
  readonly least: number;
}

/** Fits every text of a page (`fit.kind` is `text`). */
export async function fitTexts(fitting: Fitting): Promise<void> {
  for (const box of everyElement(fitting.root, fitting.changes)) {
    const [content] = box.children;
    if (box.fit?.kind !== 'text' || typeof content !== 'object') continue;
    const { most, least } = box.fit;
    await fitText(fitting, { box, content, most, least: Math.ceil(least / step) * step });
  }
}

async function fitText(fitting: Fitting, text: FittedText): Promise<void> {
  const { changes, measure } = fitting;
  const broken = await largest(fitting, text, 'anywhere', text.most);
  const whole = await largest(fitting, text, 'normal', broken);
  const { isWhole } = await tried(fitting, text, whole, 'normal');
  if (isWhole && whole >= broken * wholeShare) setSize(changes, text, whole, 'normal');
  else if (!(await fitParted(fitting, text, broken))) {
    setSize(changes, text, isWhole ? whole : broken, isWhole ? 'normal' : 'anywhere');
    if (!isWhole) await drawHyphens(text.content, changes, measure);
  }
  const { places, room, height } = judged(await measure(changes), text, changes);
  if (height > room + tolerancePx) cutText(text, changes, places);
}

type Wrap = 'anywhere' | 'normal';

function setSize(changes: Changes, { box }: FittedText, size: number, overflowWrap: Wrap): void {
  changes.change(box, { style: { fontSize: `${size}rem`, overflowWrap } });
}

interface Tried {
  readonly places: Places;
  /** The heights of the box and of its content. */
  readonly room: number;
  readonly height: number;
  /** Whether no word is longer than its line, and the longest line as a share of its room. */
  readonly isWhole: boolean;
  readonly tooWide: number;
}

/** Lays a text in a size. */
async function tried(fitting: Fitting, text: FittedText, size: number, wrap: Wrap): Promise<Tried> {
  const changes = fitting.changes.copy();
  setSize(changes, text, size, wrap);
  return judged(await fitting.measure(changes), text, changes);
}

function judged(places: Places, { box, content }: FittedText, changes: Changes): Tried {
  const isPlaced = (place: Place | undefined): place is Place => place !== undefined;
  const inside = [...everyElement(content, changes)].map((one) => places.get(one)).filter(isPlaced);
  return {
    places,
    room: places.get(box)?.height ?? 0,
    height: places.get(content)?.height ?? 0,
    isWhole: !inside.some(overflows),
    tooWide: Math.max(0, ...inside.map((place) => longestWord(place) / place.width)),
  };
}

/** Returns the largest size in which a text fits; the least where none does. */
async function largest(fitting: Fitting, text: FittedText, wrap: Wrap, most: number): Promise<number> {
  let [low, high] = [Math.round(text.least / step), Math.floor(most / step + 0.001)];
  const placed = (await fitting.measure(fitting.changes)).get(text.box);
  let guess = wrap === 'normal' ? high : guessOf(text, placed, fitting.rootSize);
  for (let count = 0; low < high; count++) {
    guess = Math.min(high, Math.max(low + 1, guess));
    const { height, room, isWhole, tooWide } = await tried(fitting, text, guess * step, wrap);
    const fits = height <= room + tolerancePx && (wrap === 'anywhere' || isWhole);
    if (fits) low = guess;
    else high = guess - 1;
    // The area of a text grows with the square of its size, a line with its size.
    const share = Math.min(Math.sqrt(room / Math.max(height, 1)), wrap === 'normal' ? 1 / tooWide : 1e3);
    guess = count < quickGuesses ? Math.floor(guess * share) : Math.ceil((low + high) / 2);
  }
  return low * step;
}

function guessOf({ content }: FittedText, place: Place | undefined, rootSize: number): number {
  if (place === undefined) return 1;
  const characters = Math.max(1, lengthOf(content));
  return Math.round(Math.sqrt((place.width * place.height) / (0.7 * characters)) / rootSize / step);
}

const lengthOf = ({ children }: PageElement): number =>
  children.reduce((sum, child) => sum + (typeof child === 'string' ? child.length : lengthOf(child)), 0);

/** Returns the words that are longer than their line in a size. */
async function longWords(fitting: Fitting, text: FittedText, size: number): Promise<ReadonlySet<string>> {
  const { places } = await tried(fitting, text, size, 'normal');
  const long = [...everyElement(text.content, fitting.changes)].flatMap((element) => {
    const place = places.get(element);
    return place?.lines.filter(({ width }) => width > place.width) ?? [];
  });
  return new Set(long.flatMap(({ parts }) => parts.join('').trim().split(/\s+/u)));
}

/**
 * Parts the long words of a text, and makes it smaller until they fit.
 * @returns false where they fit in no size; its words are parted all the same
 */
async function fitParted(fitting: Fitting, text: FittedText, broken: number): Promise<boolean> {
  const { changes, language } = fitting;
  const long = await longWords(fitting, text, broken);
  partWords([text.content], { changes, language, isLong: (word) => long.has(word) });
  const smallest = Math.max(text.least, broken * wholeShare);
  for (let size = broken; ; size = Math.max(smallest, size * partedSteps)) {
    const attempt = changes.copy();
    setSize(attempt, text, size, 'normal');
    await drawHyphens(text.content, attempt, fitting.measure);
    const { height, room, isWhole } = judged(await fitting.measure(attempt), text, attempt);
    if (isWhole && height <= room + tolerancePx) {
      changes.take(attempt);
      return true;
    }
    if (size <= smallest) return false;
  }
}
