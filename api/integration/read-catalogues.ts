/** Reads the catalogues of integrations that the operator named, and keeps them for a while. */

import { type Because, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readDocument } from '../outgoing/read-document.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { type CatalogueContent, readCatalogueDocument } from './catalogue-document.ts';

const limitBytes = 4 * 1024 * 1024;
const patienceMs = 10_000;
/** The times for which an answer is kept: one that was read, and one that could not be. */
const keptMs = { read: 10 * 60_000, failed: 60_000 } as const;

/** One catalogue as it was last read; a problem next to content means that the content is older. */
export interface Catalogue extends CatalogueContent {
  /** The host or the file that it comes from: an address may hold a secret. */
  readonly from: string;
  readonly problem?: Because;
}

/** Reads all catalogues. Never throws: a broken one has its reason. */
export type ReadCatalogues = () => Promise<readonly Catalogue[]>;

export interface CatalogueDeps {
  /** The operator's way out: a catalogue may be inside the network. */
  readonly wayOut: WayOut;
  readonly clock: Clock;
  /** The addresses (http, https) and file paths. */
  readonly sources: readonly string[];
  /** Reads a file, at most so many bytes and one more. */
  readonly readFile: (path: string, limitBytes: number) => Promise<Buffer>;
}

/** Makes the reader of a process. Nothing is asked before somebody wants to see the catalogues. */
export function catalogueReader(deps: CatalogueDeps): ReadCatalogues {
  const readers = deps.sources.map((source) => keptCatalogue(deps, source));
  return () => Promise.all(readers.map((read) => read()));
}

function keptCatalogue(deps: CatalogueDeps, source: string): () => Promise<Catalogue> {
  const from = /^https?:/i.test(source) ? new URL(source).host : (source.split(/[\\/]/).at(-1) ?? '');
  let last: Catalogue | undefined;
  let until = 0;
  let coming: Promise<Catalogue> | undefined;
  async function readAnew(): Promise<Catalogue> {
    try {
      last = { from, ...readCatalogueDocument(await textOf(deps, source)) };
      until = deps.clock.now() + keptMs.read;
    } catch (error) {
      const { name = from, integrations = [], leftOut = [] } = last ?? {};
      last = { from, name, integrations, leftOut, problem: problemOf(error) };
      until = deps.clock.now() + keptMs.failed;
    }
    return last;
  }
  return async () => {
    if (last !== undefined && deps.clock.now() < until) return last;
    coming ??= readAnew().finally(() => {
      coming = undefined;
    });
    return coming;
  };
}

async function textOf({ wayOut, readFile }: CatalogueDeps, source: string): Promise<string> {
  if (!/^https?:/i.test(source)) return decode(await readFile(source, limitBytes));
  return readDocument(wayOut, source, { bytes: limitBytes, timeoutMs: patienceMs });
}

function decode(bytes: Buffer): string {
  if (bytes.length > limitBytes)
    throw new ReasonedError(reasonOf('document-too-long', { most: limitBytes / 1024 / 1024 }));
  return bytes.toString('utf8');
}

function problemOf(error: unknown): Because {
  if (!(error instanceof Error)) return reasonOf('document-unreadable');
  // The system's message about a file contains its path.
  if ('code' in error && typeof error.code === 'string') return reasonOf('file-unreadable', { error: error.code });
  return error instanceof ReasonedError ? error.reason : error.message;
}
