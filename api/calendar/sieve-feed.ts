/**
 * Keeps of a feed, while it comes, what can still matter: servers send the whole past, which is most of a large feed. Of an
 * event the properties that are read are kept, of a past one those that give its version. Other lines stay as they are
 * written, without their folds.
 */
import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { feedLines } from './feed-lines.ts';
import { type EventLine, isOver } from './past-events.ts';
import { nameOf, wanted } from './read-ics.ts';

/** The most that is kept of a feed, in characters. */
const maxKept = 4 * 1024 * 1024;
/** The most that is remembered of past events, in characters; what goes beyond is forgotten. */
const maxPast = 12 * 1024 * 1024;
/** Properties that do not affect which version of an event is the latest. */
const shownOnly: ReadonlySet<string> = new Set(['SUMMARY', 'LOCATION', 'TRANSP']);
/** Components whose every line is kept. */
const readWhole: ReadonlySet<string> = new Set(['VCALENDAR', 'VTIMEZONE', 'STANDARD', 'DAYLIGHT']);

export interface FeedSieve {
  /**
   * Takes the next bytes.
   * @throws ReasonedError when more is left than is kept of a feed
   */
  take(piece: Buffer): void;
  /** Returns the rest, as bytes in the character set of the feed. */
  end(): Buffer;
}

/**
 * Makes a sieve.
 * @param from the moment from which on events can matter, epoch milliseconds; what ended days before is left out
 */
export function feedSieve(from: number): FeedSieve {
  const kept = keptParts();
  const open: string[] = [];
  let event: EventLine[] | undefined;
  const lines = feedLines(takeLine);

  function takeLine(text: string, end: string): void {
    const name = nameOf(text) ?? '';
    const kind = text
      .slice(name.length + 1)
      .trim()
      .toUpperCase();
    if (name === 'BEGIN') begin(kind);
    const within = open.at(-1);
    const isRead =
      name === 'BEGIN' ||
      name === 'END' ||
      within === undefined ||
      readWhole.has(within) ||
      wanted.get(within)?.has(name);
    if (isRead === true && event === undefined) kept.keep(text + end);
    else if (isRead === true) event?.push({ name, text: text + end });
    if (name === 'END') endComponent(kind);
  }

  function begin(kind: string): void {
    if (kind === 'VEVENT' || kind === 'VCALENDAR') {
      // One that was left open is left to its reader.
      if (event !== undefined) kept.keepEvent(event);
      event = kind === 'VEVENT' ? [] : undefined;
    }
    open.push(kind);
  }

  function endComponent(kind: string): void {
    const at = open.lastIndexOf(kind);
    if (at < 0) return;
    open.splice(at);
    if (event === undefined || (kind !== 'VEVENT' && open.includes('VEVENT'))) return;
    if (kind === 'VEVENT' && isOver(event, from)) kept.keepPast(event);
    else kept.keepEvent(event);
    event = undefined;
  }

  return {
    take: lines.take,
    end() {
      lines.end();
      if (event !== undefined) kept.keepEvent(event);
      return lines.bytesOf(kept.whole());
    },
  };
}

/** Collects the parts that are kept, in the order of the feed. */
function keptParts() {
  const parts: (string | { readonly uid: string; readonly text: string })[] = [];
  const shown = new Set<string>();
  let [keptLength, pastLength] = [0, 0];

  function keep(text: string): void {
    keptLength += text.length;
    if (keptLength > maxKept) throw new ReasonedError(reasonOf('calendar-too-full', { most: maxKept / 2 ** 20 }));
    parts.push(text);
  }

  return {
    keep,
    keepEvent(event: readonly EventLine[]): void {
      const uid = uidOf(event);
      if (uid !== undefined) shown.add(uid);
      keep(textOf(event));
    },
    /** Remembers a past event: it may be the last version of one that the feed has again. */
    keepPast(event: readonly EventLine[]): void {
      const uid = uidOf(event);
      const text = textOf(event.filter(({ name }) => !shownOnly.has(name)));
      pastLength += text.length;
      if (uid !== undefined && pastLength <= maxPast) parts.push({ uid, text });
    },
    whole(): string {
      const past = parts.filter((part) => typeof part !== 'string' && shown.has(part.uid));
      const length = past.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part.text.length), keptLength);
      if (length > maxKept) throw new ReasonedError(reasonOf('calendar-too-full', { most: maxKept / 2 ** 20 }));
      return parts.map((part) => (typeof part === 'string' ? part : shown.has(part.uid) ? part.text : '')).join('');
    },
  };
}

const textOf = (event: readonly EventLine[]): string => event.map(({ text }) => text).join('');

function uidOf(event: readonly EventLine[]): string | undefined {
  const line = event.find(({ name }) => name === 'UID')?.text;
  return line?.slice(line.indexOf(':') + 1).trim() || undefined;
}
