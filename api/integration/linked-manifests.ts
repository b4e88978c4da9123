/** Catalogues that nobody wrote as such: pages that link to manifests, each of which becomes an entry. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import type { CatalogueContent, ListedIntegration } from './catalogue-document.ts';
import { catalogueSharer, type DecodeIcon, entryOfManifest, maxIconBytes, shrinkIcon } from './entry-of-manifest.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import { allowsLoopback, readAbsoluteUrl, readUrl, type UrlRules } from './saved-urls.ts';

/** The most manifests of one page. */
const maxManifests = 200;
/** Manifests are read so many at a time, and begun to be read within this time. */
const reading = { atOnce: 6, withinMs: 30_000 } as const;

export interface ManifestDeps {
  readonly clock: Clock;
  /** The way out for addresses that strangers wrote. */
  readonly wayOut: WayOut;
  readonly rules: UrlRules;
  readonly fetchManifest: FetchManifest;
  readonly decodeIcon: DecodeIcon;
}

/**
 * Returns the addresses of manifests, which end in `/config.json`, that a page or a text names: whole ones anywhere, and in
 * links of HTML also relative ones. In their order, each once.
 */
export function manifestLinks(text: string, base: string): readonly string[] {
  const found = new Set<string>();
  for (const { 0: token, index } of text.matchAll(/[^\s"'`<>()[\]\\]+/g)) {
    const written = withoutMarks(token.replace(/^href=/i, ''));
    if (written.length > 2_000 || !written.endsWith('/config.json')) continue;
    const isWhole = /^https?:\/\//i.test(written);
    const isLink = /^href=/i.test(token) || /href\s*=\s*["']?$/i.test(text.slice(Math.max(0, index - 12), index));
    if ((isWhole || isLink) && URL.canParse(written, base)) found.add(new URL(written, base).href);
  }
  return [...found];
}

/** The outcome of one manifest: its entry, with why its icon is missing, or why there is none. */
type Read =
  | { readonly listed: ListedIntegration; readonly iconProblem?: Reason | undefined }
  | { readonly leftOut: Reason };

/**
 * Reads manifests and makes a catalogue of them. Each is asked for as an integration's is for a paper: never in the home
 * network, never with a redirect. One that cannot be read is left out by its address with the reason.
 */
export async function catalogueOfManifests(
  deps: ManifestDeps,
  name: string,
  links: readonly string[],
): Promise<CatalogueContent> {
  const until = deps.clock.now() + reading.withinMs;
  const urls = links.slice(0, maxManifests);
  const reads = new Array<Read>(urls.length);
  const left = urls.entries();
  const readOn = async (): Promise<void> => {
    for (const [index, url] of left) {
      const isLate = deps.clock.now() >= until;
      reads[index] = isLate
        ? { leftOut: reasonOf('manifest-left-out', { at: shortAddress(url), because: reasonOf('not-read-in-time') }) }
        : await readOne(deps, url);
    }
  };
  await Promise.all(Array.from({ length: reading.atOnce }, readOn));
  const surplus = links.length - urls.length;
  return {
    name,
    integrations: reads.flatMap((read) => ('listed' in read ? [read.listed] : [])),
    leftOut: [
      ...reads.flatMap((read) => ('leftOut' in read ? [read.leftOut] : [])),
      ...(surplus > 0 ? [reasonOf('manifests-surplus', { surplus, most: maxManifests })] : []),
    ],
    notes: reads.flatMap((read) =>
      'listed' in read && read.iconProblem !== undefined
        ? [reasonOf('icon-left-out', { name: read.listed.name, because: read.iconProblem })]
        : [],
    ),
  };
}

async function readOne(deps: ManifestDeps, url: string): Promise<Read> {
  const leftOut = (because: Reason): Read => ({
    leftOut: reasonOf('manifest-left-out', { at: shortAddress(url), because }),
  });
  const fetched = await deps.fetchManifest(url, catalogueSharer[1]);
  if (!fetched.ok) return leftOut(fetched.problem);
  const icon = await iconOf(deps, fetched.manifest, url);
  const picture = typeof icon === 'string' ? icon : undefined;
  const listed = entryOfManifest(fetched.manifest, url, picture);
  if (listed === undefined) return leftOut(reasonOf('manifest-field', { field: 'name' }));
  return { listed, iconProblem: typeof icon === 'string' ? undefined : icon };
}

/** Returns the small icon of a manifest, or why there is none; undefined for a manifest that names none. */
async function iconOf(
  { wayOut, rules, decodeIcon }: ManifestDeps,
  manifest: Readonly<Record<string, unknown>>,
  configUrl: string,
): Promise<string | Reason | undefined> {
  const config = readAbsoluteUrl(configUrl, rules);
  if (!config.ok || !isRecord(manifest) || manifest.icon === undefined) return undefined;
  const icon = readUrl(manifest.icon, config.url, rules);
  if (!icon.ok) return icon.why;
  const outcome = await requestOnce(wayOut, {
    sharer: catalogueSharer,
    url: icon.url.href,
    method: 'GET',
    headers: { accept: 'image/png, image/webp, image/jpeg' },
    allowLoopback: allowsLoopback(rules),
    anyPort: !rules.production,
    readLimitBytes: maxIconBytes,
  });
  if (outcome.kind === 'problem') return outcome.problem;
  if (outcome.status !== 200) return reasonOf('answer-status', { status: outcome.status });
  return shrinkIcon(decodeIcon, outcome.body);
}

/** Returns an address without its scheme, short enough for a sentence. */
function shortAddress(url: string): string {
  const plain = url.replace(/^https?:\/\//, '').replace(/\/config\.json$/, '');
  return plain.length <= 80 ? plain : `${plain.slice(0, 79)}…`;
}

/** Sentences end right behind an address, and tables do. */
function withoutMarks(token: string): string {
  let end = token.length;
  while (end > 0 && '.,;:!|'.includes(token[end - 1] ?? ' ')) end--;
  return token.slice(0, end);
}
