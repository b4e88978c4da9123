/**
 * Splits the list of a folder into its elements `response` while it comes: a folder of 20,000 files is one answer of 20 MB
 * (WD-5), of which no more than one element is held. A document type is refused, and with it every entity of its own.
 */
import { reasonOf } from '../../../reasons/reason.ts';
import { SourceFault } from '../source.ts';

/** The most characters of one element; honest ones have a thousand. */
const maxOfElement = 64 * 1024;

const opening = /<(?:!DOCTYPE\b|(\/?)([\w.-]{1,64}:)?(response|multistatus)(?=[\s/>]))/gi;

/** Takes the pieces of an answer. */
export interface ResponseSplitter {
  take(piece: Buffer): void;
  /** Returns whether the answer came to its end: a list that is cut is not shorter, it is none. */
  isComplete(): boolean;
}

/** Makes a splitter, which hands on each element as its text. */
export function splitResponses(found: (element: string) => void): ResponseSplitter {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let isClosed = false;
  const unreadable = (): never => {
    throw new SourceFault('unusable', reasonOf('album-source-unreadable'));
  };

  /** Takes what is whole, and returns what is left. */
  function takeFrom(text: string): string {
    opening.lastIndex = 0;
    for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
      const [, slash, prefix = '', name] = tag;
      if (name === undefined) return unreadable();
      if (slash === '/' && name === 'multistatus') isClosed = true;
      if (slash === '/' || name === 'multistatus') continue;
      const end = endOf(text, tag.index, prefix);
      if (end === undefined) return text.slice(tag.index);
      found(text.slice(tag.index, end));
      opening.lastIndex = end;
    }
    // A tag may go on in the next piece.
    const open = text.lastIndexOf('<');
    return open >= 0 && text.indexOf('>', open) < 0 && text.length - open < 128 ? text.slice(open) : '';
  }

  return {
    take(piece) {
      rest = takeFrom(rest + decoder.decode(piece, { stream: true }));
      if (rest.length > maxOfElement) unreadable();
    },
    isComplete: () => isClosed,
  };
}

/** Returns where an element ends; undefined while its end has not come. */
function endOf(text: string, start: number, prefix: string): number | undefined {
  const head = text.indexOf('>', start);
  if (head < 0) return undefined;
  if (text[head - 1] === '/') return head + 1;
  const closing = `</${prefix}response`;
  for (let at = text.indexOf(closing, head); at >= 0; at = text.indexOf(closing, at + closing.length)) {
    const end = text.indexOf('>', at);
    if (end < 0) return undefined;
    // `responsedescription` begins with the same letters.
    if (text.slice(at + closing.length, end).trim() === '') return end + 1;
  }
  return undefined;
}
