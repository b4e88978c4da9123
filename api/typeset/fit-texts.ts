/** Sets texts as large as they fit. */
import type { PageElement } from '../pages/element.ts';
import { endText } from './end-text.ts';
import { type ElementPlace, everyElement, type MeasurePage, maxWordWidth, type PagePlaces } from './measure-page.ts';
import type { Changes } from './nodes.ts';
import { drawHyphens, partWords } from './part-words.ts';

/** Sizes are multiples of this, in rem. */
const step = 0.05;
/** A text keeps its words whole while its letters have this share of the size that they would have with broken ones. */
const wholeShare = 0.4;
/** From a text that fits a size a little above what its area says is tried; the last steps are halved. */
const ahead = 1.03;
const nearSteps = 16;
const tolerancePx = 0.5;

/** The page that is fitted. */
export interface Fitting {
  readonly root: PageElement;
  readonly changes: Changes;
  readonly measure: MeasurePage;
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
  const isEnough = (size: number): boolean => isWhole && whole >= size * wholeShare;
  const parted = isEnough(broken) ? undefined : await fitParted(fitting, text, broken);
  if (isEnough(parted?.size ?? broken)) setSize(changes, text, whole, 'normal');
  else if (parted !== undefined) changes.take(parted.changes);
  const { places, room, height } = judged(await measure(changes), text, changes);
  if (height > room + tolerancePx) endText(text, changes, places);
}

type Wrap = 'anywhere' | 'normal';

function setSize(changes: Changes, { box }: FittedText, size: number, overflowWrap: Wrap): void {
  changes.change(box, { style: { fontSize: `${size}rem`, overflowWrap } });
}

interface Tried {
  readonly places: PagePlaces;
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

function judged(places: PagePlaces, { box, content }: FittedText, changes: Changes): Tried {
  const isPlaced = (place: ElementPlace | undefined): place is ElementPlace => place !== undefined;
  const inside = [...everyElement(content, changes)].map((one) => places.get(one)).filter(isPlaced);
  const longest = Math.max(0, ...inside.map(maxWordWidth));
  const { width = 0, height = 0 } = places.get(box) ?? {};
  return {
    places,
    room: height,
    height: places.get(content)?.height ?? 0,
    isWhole: longest <= width + tolerancePx,
    tooWide: longest / width,
  };
}

/** Returns the largest size in which a text fits; the least where none does. */
async function largest(fitting: Fitting, text: FittedText, wrap: Wrap, most: number): Promise<number> {
  let [low, high] = [Math.round(text.least / step), Math.floor(most / step + 0.001)];
  const placed = (await fitting.measure(fitting.changes)).get(text.box);
  let guess = wrap === 'normal' ? high : guessOf(text, placed, fitting.rootSize);
  while (low < high) {
    guess = Math.min(high, Math.max(low + 1, guess));
    const laid = await tried(fitting, text, guess * step, wrap);
    const fits = laid.height <= laid.room + tolerancePx && (wrap === 'anywhere' || laid.isWhole);
    if (fits) low = guess;
    else high = guess - 1;
    const isNear = high - low <= nearSteps;
    guess = isNear ? Math.ceil((low + high) / 2) : Math.floor(guess * shareThatFits(laid, wrap) * (fits ? ahead : 1));
  }
  return low * step;
}

/** Returns the share of a size in which a text would fit: its area grows with the square of the size, a line with the size. */
function shareThatFits({ room, height, tooWide }: Tried, wrap: Wrap): number {
  const byHeight = Math.sqrt(room / Math.max(height, 1));
  return wrap === 'normal' ? Math.min(byHeight, 1 / tooWide) : byHeight;
}

function guessOf({ content }: FittedText, place: ElementPlace | undefined, rootSize: number): number {
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

/** A text whose long words are parted, and its size in rem. */
interface PartedText {
  readonly size: number;
  readonly changes: Changes;
}

/** Parts the long words of a text, and makes it smaller until they fit; where they do not, words are broken anywhere. */
async function fitParted(fitting: Fitting, text: FittedText, broken: number): Promise<PartedText> {
  const { language } = fitting;
  const long = await longWords(fitting, text, broken);
  const parted = fitting.changes.copy();
  partWords([text.content], { changes: parted, language, isLong: (word) => long.has(word) });
  const smallest = Math.max(text.least, broken * wholeShare);
  for (let size = broken; size >= smallest; ) {
    const attempt = await laidOut(fitting, text, parted, { size, wrap: 'normal' });
    const laid = judged(await fitting.measure(attempt), text, attempt);
    if (laid.isWhole && laid.height <= laid.room + tolerancePx) {
      return { size, changes: (await narrowed(fitting, text, parted, { size, laid })) ?? attempt };
    }
    size = Math.min(size * 0.985, size * shareThatFits(laid, 'normal'));
  }
  return { size: broken, changes: await laidOut(fitting, text, parted, { size: broken, wrap: 'anywhere' }) };
}

/** Returns a text with lines of more equal length: words are parted where they are put together rather than near their ends. */
async function narrowed(
  fitting: Fitting,
  text: FittedText,
  parted: Changes,
  { size, laid }: { readonly size: number; readonly laid: Tried },
): Promise<Changes | undefined> {
  const width = laid.places.get(text.content)?.width ?? 0;
  for (const share of [0.7, 0.8, 0.9]) {
    const before = parted.copy();
    before.change(text.content, { style: { maxWidth: width * share } });
    const attempt = await laidOut(fitting, text, before, { size, wrap: 'normal' });
    const narrow = judged(await fitting.measure(attempt), text, attempt);
    if (narrow.isWhole && narrow.height <= laid.height) return attempt;
  }
  return undefined;
}

/** Returns the changes with which a text has a size, with its hyphens. */
async function laidOut(
  { measure }: Fitting,
  text: FittedText,
  before: Changes,
  { size, wrap }: { readonly size: number; readonly wrap: Wrap },
): Promise<Changes> {
  const changes = before.copy();
  setSize(changes, text, size, wrap);
  // Lines of equal length would move with every hyphen.
  changes.change(text.box, { style: { textWrap: 'wrap' } });
  await drawHyphens(text.content, changes, measure);
  return changes;
}
