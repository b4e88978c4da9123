/** Reads the catalogues of integrations that the operator named, and keeps them for a while. */

import { type Because, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readDocument } from '../outgoing/read-document.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { type CatalogueContent, readCatalogueDocument } from './catalogue-document.ts';
import { catalogueOfManifests, type ManifestDeps, manifestLinks } from './linked-manifests.ts';

const limitBytes = 4 * 1024 * 1024;
const patienceMs = 10_000;
/** The times for which an answer is kept: one that was read, one whose every manifest was read, and one that could not be. */
const keptMs = { read: 10 * 60_000, manifests: 6 * 3_600_000, failed: 60_000 } as const;

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
  /** Reads manifests that a page names. */
  readonly manifests: ManifestDeps;
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
      const { content, isWhole } = await contentOf(deps, source);
      last = { from, ...content };
      until = deps.clock.now() + (isWhole ? keptMs.manifests : keptMs.read);
    } catch (error) {
      const { name = from, integrations = [], leftOut = [], notes = [] } = last ?? {};
      last = { from, name, integrations, leftOut, notes, problem: problemOf(error) };
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

/** A catalogue, and whether it is one of manifests all of which were read: that costs many requests. */
interface Content {
  readonly content: CatalogueContent;
  readonly isWhole: boolean;
}

async function contentOf(deps: CatalogueDeps, source: string): Promise<Content> {
  if (!/^https?:/i.test(source)) return documentOf(decode(await deps.readFile(source, limitBytes)));
  const url = addressOf(source);
  // A host of integrations says what it has in a document next to them.
  const beside = url.pathname.endsWith('/') ? new URL('catalogue.json', url).href : undefined;
  const listed = beside === undefined ? undefined : await textOf(deps, beside).catch(() => undefined);
  if (listed !== undefined && isJson(listed)) return documentOf(listed);
  const text = await textOf(deps, url.href);
  if (isJson(text)) return documentOf(text);
  const links = manifestLinks(text, url.href);
  if (links.length === 0) throw new ReasonedError(reasonOf('no-manifests-named'));
  const content = await catalogueOfManifests(deps.manifests, nameOf(url), links);
  return { content, isWhole: content.leftOut.length === 0 };
}

const documentOf = (text: string): Content => ({ content: readCatalogueDocument(text), isWhole: false });

const textOf = ({ wayOut }: CatalogueDeps, url: string): Promise<string> =>
  readDocument(wayOut, url, { bytes: limitBytes, timeoutMs: patienceMs });

/** Returns the address that is asked for a source: of a repository at GitHub, its README. */
function addressOf(source: string): URL {
  const url = new URL(source);
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url.pathname) ?? [];
  if (url.host !== 'github.com' || owner === undefined || name === undefined) return url;
  return new URL(`https://raw.githubusercontent.com/${owner}/${name}/HEAD/README.md`);
}

/** Returns what a page of manifests is called: its repository, else its host. */
function nameOf({ host, pathname }: URL): string {
  const [, owner, name] = pathname.split('/');
  return host === 'raw.githubusercontent.com' ? `${owner}/${name}` : host;
}

/** Returns whether a text is meant as JSON, well or badly; a page of links may begin with a bracket. */
function isJson(text: string): boolean {
  if (text.trimStart().startsWith('{')) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
