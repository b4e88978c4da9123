/** Asks a server what lies in a folder, and reads the answer while it comes. */
import { reasonOf } from '../../../reasons/reason.ts';
import type { FollowedAnswer } from '../../outgoing/follow-redirects.ts';
import { headerOf, type SourceQuestion } from '../ask-for-files.ts';
import { SourceFault } from '../source.ts';
import { isSamePart, partsOfHref, partsOfPath } from './folder-path.ts';
import { type DavResponse, readDavResponse } from './read-response.ts';
import { splitResponses } from './split-responses.ts';

/** A file or a folder right below the one that was listed. */
export interface DavEntry extends DavResponse {
  /** Its own name, as a part of a key. */
  readonly part: string;
}

/** A folder, and what it holds. */
export interface DavListing {
  /** The folder itself, where the server lists it. */
  readonly self: DavResponse | undefined;
  readonly entries: readonly DavEntry[];
  /** The program that answers, as it names itself. */
  readonly server: string | undefined;
}

const wanted = ['resourcetype', 'getcontentlength', 'getcontenttype', 'getetag', 'getlastmodified', 'displayname'];
const body = [
  '<?xml version="1.0" encoding="utf-8"?>',
  '<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop>',
  ...wanted.map((name) => `<d:${name}/>`),
  '<oc:fileid/></d:prop></d:propfind>',
].join('');

const maxEntries = 100_000;
/** Wrong logins make a cloud answer after 30 s (WD-2), and a large folder is looked through before the first byte. */
const times = { timeoutMs: 60_000, bodyTimeoutMs: 120_000 } as const;

/** A folder that is asked for. */
export interface FolderQuestion {
  readonly url: URL;
  readonly depth: '0' | '1';
  readonly maxBytes: number;
}

/** Asks what lies in a folder. An answer that is a list has to be one to its end. */
export async function askFolder(
  { url, depth, maxBytes }: FolderQuestion,
  ask: (question: SourceQuestion) => Promise<FollowedAnswer>,
): Promise<{ readonly answer: FollowedAnswer; readonly listing: DavListing }> {
  let found = collectEntries(url);
  let broken: SourceFault | undefined;
  const beginTaking = (): ((piece: Buffer) => void) => {
    found = collectEntries(url);
    broken = undefined;
    return (piece) => {
      if (broken !== undefined) return;
      try {
        found.take(piece);
      } catch (error) {
        // Pages of errors are documents of another type, and their status says more.
        if (!(error instanceof SourceFault)) throw error;
        broken = error;
      }
    };
  };
  const headers = { depth, 'content-type': 'application/xml; charset=utf-8', accept: 'application/xml, text/xml' };
  const question = {
    url,
    method: 'PROPFIND',
    body,
    headers,
    beginTaking,
    readLimitBytes: maxBytes,
    ...times,
  } as const;
  const answer = await ask(question);
  if (answer.status === 207) {
    if (broken !== undefined) throw broken;
    found.checkEnd();
  }
  return { answer, listing: { ...found.result(), server: headerOf(answer, 'server') } };
}

/** Gathers what a folder lists: itself, and what lies right below it. Everything else is left out (WD-7). */
function collectEntries(asked: URL) {
  const base = partsOfPath(asked.pathname) ?? [];
  const entries = new Map<string, DavEntry>();
  let self: DavResponse | undefined;
  let [listed, strange] = [0, 0];

  function add(element: string): void {
    const response = readDavResponse(element);
    if (response === undefined) return;
    listed += 1;
    const parts = partsOfHref(response.href, asked.hostname);
    if (parts === 'elsewhere') strange += 1;
    if (!Array.isArray(parts) || !base.every((part, at) => isSamePart(part, parts[at]))) return;
    if (parts.length === base.length) self = response;
    const part: string | undefined = parts[base.length];
    if (part === undefined || parts.length !== base.length + 1) return;
    entries.set(part.normalize('NFC'), { ...response, part });
    if (entries.size > maxEntries) {
      throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: maxEntries }));
    }
  }
  const splitter = splitResponses(add);

  return {
    take: splitter.take,
    checkEnd(): void {
      if (!splitter.isComplete()) throw new SourceFault('away', reasonOf('album-source-answer-cut'));
      if (listed > 0 && strange === listed) throw new SourceFault('unusable', reasonOf('album-source-other-host'));
    },
    result: () => ({ self, entries: [...entries.values()] }),
  };
}
