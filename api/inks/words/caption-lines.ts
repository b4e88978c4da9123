/** The words on a picture: its caption, its date and its place, in one line or two. */
import { serviceText, type WordedLanguage, wordedLanguage } from '../../words/service-words.ts';

/** The parts of the words that an album may show. */
export const captionParts = ['date', 'place', 'caption'] as const;
export type CaptionPart = (typeof captionParts)[number];

/** The facts of a picture, and the choice of its album among them. */
export interface CaptionFacts {
  /** The date on the camera's clock, `YYYY-MM-DDTHH:MM:SS`. */
  readonly taken?: string | undefined;
  readonly place?: string | undefined;
  readonly caption?: string | undefined;
  readonly shows: readonly CaptionPart[];
  /** True for a picture of another day in an album that shows those of this one. */
  readonly isOfOtherDay?: boolean | undefined;
  /** The paper's language; English where the service has no texts in it. */
  readonly language: string;
}

/** The most characters of a part, as a person counts them: no panel has room for more in a line. */
const maxCharacters = 200;

/**
 * Returns the lines, the caption above the date and the place; none where nothing is known of what is shown. The digits of
 * the date are written as they are: they are the camera's wall time, which no zone shifts (FI-12).
 */
export function captionLines(facts: CaptionFacts): readonly string[] {
  const { taken, place, caption, shows, isOfOtherDay = false } = facts;
  const language = wordedLanguage(facts.language);
  const parts: Readonly<Record<CaptionPart, string>> = {
    date: dayInWords(taken, language),
    place: oneLine(place),
    caption: oneLine(caption),
  };
  const shown = (part: CaptionPart): string => (shows.includes(part) ? parts[part] : '');
  const other = isOfOtherDay && shows.length > 0 ? serviceText(language, 'caption.otherDay') : '';
  const below = [shown('date'), shown('place'), other].filter((part) => part !== '').join(' · ');
  return [shown('caption'), below].filter((line) => line !== '');
}

const digits = /^(\d{4})-(\d\d)-(\d\d)/;

function dayInWords(taken: string | undefined, language: WordedLanguage): string {
  const found = digits.exec(taken ?? '');
  if (found === null) return '';
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  // A day that no calendar has would become another one.
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return '';
  const tag = language === 'en' ? 'en-GB' : language;
  return new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns a text in one line without marks that nobody sees, cut to its length. */
export function oneLine(text: string | undefined): string {
  // The longest characters are emoji of some families: a hundred code units bound them all.
  const head = (text ?? '').slice(0, 100 * maxCharacters).normalize('NFC');
  const plain = head
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Co}\p{Cs}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
    .trim();
  const all = [...characters.segment(plain)];
  return all.length <= maxCharacters ? plain : `${plain.slice(0, all[maxCharacters - 1]?.index).trimEnd()}…`;
}
