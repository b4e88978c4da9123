/** Cuts the bytes of a feed into lines while they come, whatever their character set: bytes stand for themselves. */
import { isContinuation, isQuotedPrintable } from './property-bytes.ts';

/** The most that is read of one line; a longer one is cut. */
const maxLine = 1024 * 1024;
/** The length of a line up to which its parameters may be folded. */
const maxStart = 1_000;
const mark = { narrow: '\xef\xbb\xbf', wide: '\ufeff' } as const;

/** Takes a line without its folds, and what ended it. */
type TakeLine = (line: string, end: string) => void;

export interface FeedLines {
  /** Takes the next bytes. */
  take(piece: Buffer): void;
  /** Takes the last line, which may have no end. */
  end(): void;
  /** Writes lines as bytes that begin as the feed did. */
  bytesOf(lines: string): Buffer;
}

/** Makes the reader of lines; each is taken as soon as the next one begins. */
export function feedLines(takeLine: TakeLine): FeedLines {
  let form: 'narrow' | 'little' | 'big' | undefined;
  let held: Buffer = Buffer.alloc(0);
  let isMarked: boolean | undefined;
  /** The line as it is written, and the line with everything that was folded onto it, as far as they were read. */
  let [physical, logical] = ['', ''];
  /** Whether the line goes on in the next one, although that is not a fold. */
  let [isQuoted, isSoftBroken] = [false, false];

  /** Returns characters: of UTF-16 its own, otherwise one for each byte. */
  function lettersOf(piece: Buffer): string {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    form ??= bytes.length < 3 ? undefined : formOf(bytes);
    const isOdd = form !== 'narrow' && bytes.length % 2 === 1;
    held = form === undefined ? bytes : isOdd ? bytes.subarray(-1) : Buffer.alloc(0);
    if (form === undefined) return '';
    const text = isOdd ? bytes.subarray(0, -1) : bytes;
    if (form === 'narrow') return text.toString('latin1');
    return (form === 'big' ? Buffer.from(text).swap16() : text).toString('utf16le');
  }

  function withoutMark(letters: string): string {
    if (isMarked !== undefined || letters === '') return letters;
    const own = form === 'narrow' ? mark.narrow : mark.wide;
    isMarked = letters.startsWith(own);
    return isMarked ? letters.slice(own.length) : letters;
  }

  function takePhysical(line: string): void {
    if (line === '') return;
    if (logical !== '' && (line.startsWith(' ') || line.startsWith('\t'))) logical = grown(logical, line.slice(1));
    else if (isSoftBroken && isContinuation(line)) logical = grown(logical, `\r\n${line}`);
    else {
      if (logical !== '') takeLine(logical, '\r\n');
      logical = line;
      isQuoted = isQuotedPrintable(line);
    }
    // Looked at while it is short: a long text that still grows is costly to look at.
    if (logical.length < maxStart) isQuoted = isQuotedPrintable(logical);
    isSoftBroken = isQuoted && line.endsWith('=');
  }

  function takeLetters(letters: string): void {
    const lines = withoutMark(letters).split(/[\r\n]+/);
    const last = lines.pop() ?? '';
    for (const line of lines) {
      takePhysical(grown(physical, line));
      physical = '';
    }
    physical = grown(physical, last);
  }

  return {
    take: (piece) => takeLetters(lettersOf(piece)),
    end() {
      form ??= formOf(held);
      takeLetters(lettersOf(Buffer.alloc(0)));
      const isOpen = physical !== '';
      takePhysical(physical);
      if (logical !== '') takeLine(logical, isOpen ? '' : '\r\n');
    },
    bytesOf(lines) {
      if (form === 'narrow') return Buffer.from(isMarked === true ? mark.narrow + lines : lines, 'latin1');
      return Buffer.from(mark.wide + lines, 'utf16le');
    },
  };
}

const grown = (text: string, more: string): string => (text.length > maxLine ? text : text + more);

/** Recognizes UTF-16 by its mark or by the zero in its first letter. */
export function formOf([first = 0, second = 0]: Buffer): 'narrow' | 'little' | 'big' {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && first < 0x80 && second === 0)) return 'little';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second < 0x80)) return 'big';
  return 'narrow';
}
