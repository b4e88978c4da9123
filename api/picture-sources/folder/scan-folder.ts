/** Lists the pictures of a folder of this machine, those alone that nobody is still writing. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { pause } from '../../../runtime/limit-time.ts';
import { sortOfFile } from '../file-names.ts';
import { type ListedPicture, type ListingEnd, type SourceDeps, SourceFault } from '../source.ts';
import type { FileJob, ScannedFile } from './file-job.ts';
import { linesOfJob } from './file-process.ts';

const maxPictures = 100_000;
/** Files that changed since are listed once two scans agree on them (FO-3). An hour forgives the clock of a share. */
const freshMs = 3_600_000;
/** Of more fresh files than these the rest waits until it is older. */
const maxFresh = 2_000;
/** The pause between the two scans of a first listing, which nobody wants to wait for until the next one. */
const secondLookMs = 3_000;

/** The mark of a listing, for the next one: the device of the root, the number of files, and stamps of fresh files. */
const markShape = z.object({ device: z.string(), count: z.number(), fresh: z.array(z.string()).max(maxFresh) });
type Mark = z.infer<typeof markShape>;

function readMark(before: string | undefined): Mark | undefined {
  try {
    return before === undefined ? undefined : markShape.parse(JSON.parse(before));
  } catch {
    return undefined;
  }
}

const stampOf = ([key, bytes, changed]: ScannedFile): string =>
  createHash('sha256').update(`${bytes} ${changed} ${key}`).digest('base64url').slice(0, 12);

/** The state of a listing that goes on. */
interface Listing {
  readonly job: FileJob;
  readonly last: Mark | undefined;
  readonly before: ReadonlySet<string>;
  readonly fresh: Set<string>;
  device: string;
  count: number;
}

/** Lists a folder. Its mark is needed by the next listing to know which files have settled. */
export async function* scanFolder(
  deps: SourceDeps,
  job: Extract<FileJob, { kind: 'scan' }>,
  mark: string | undefined,
): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
  const last = readMark(mark);
  const listing: Listing = { job, last, before: new Set(last?.fresh), fresh: new Set(), device: '', count: 0 };
  yield* scanOnce(deps, listing, (file, isFresh) => !isFresh || listing.before.has(stampOf(file)));
  if (last === undefined && listing.fresh.size > 0) {
    await pause(deps.clock, secondLookMs);
    deps.signal.throwIfAborted();
    const first = new Set(listing.fresh);
    listing.fresh.clear();
    yield* scanOnce(deps, listing, (file, isFresh) => isFresh && first.has(stampOf(file)), false);
  }
  const { device, count, fresh } = listing;
  // An empty folder on another device is the place where a share was mounted (FO-4).
  if (count === 0 && last !== undefined && last.count > 0 && device !== last.device) {
    throw new SourceFault('away', reasonOf('album-source-folder-away', { error: 'ENODEV' }));
  }
  return { mark: JSON.stringify({ device, count, fresh: [...fresh] } satisfies Mark) };
}

/** Scans the folder once, and lists the files that pass. */
async function* scanOnce(
  deps: SourceDeps,
  listing: Listing,
  passes: (file: ScannedFile, isFresh: boolean) => boolean,
  isFirst = true,
): AsyncGenerator<readonly ListedPicture[], void, void> {
  const since = deps.clock.now() - freshMs;
  const { before, fresh } = listing;
  for await (const line of linesOfJob(deps, listing.job)) {
    if ('device' in line) listing.device = line.device;
    if (!('files' in line)) continue;
    const pictures: ListedPicture[] = [];
    for (const file of line.files) {
      const isFresh = Math.max(file[2], file[3]) > since;
      if (isFresh) remember(stampOf(file), before, fresh);
      if (passes(file, isFresh)) pictures.push(listedOf(file));
    }
    if (isFirst) pictures.push(...line.unreadable.map(unreadableOf));
    listing.count += pictures.length;
    if (listing.count > maxPictures) {
      throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: maxPictures }));
    }
    if (pictures.length > 0) yield pictures;
  }
}

/** Files that were listed stay so: there is always room for them. */
function remember(stamp: string, before: ReadonlySet<string>, fresh: Set<string>): void {
  if (before.has(stamp) || fresh.size < maxFresh - before.size) fresh.add(stamp);
}

function listedOf([key, bytes, changed, recorded, made]: ScannedFile): ListedPicture {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return {
    key,
    name,
    mark: `${bytes}-${Math.floor(changed)}`,
    sort: sortOfFile(name) ?? 'document',
    bytes,
    arrivedAt: Math.floor(made > 0 ? made : recorded),
  };
}

/** A file whose name is not UTF-8 is counted, and never fetched (FO-5). */
const unreadableOf = (key: string): ListedPicture => ({
  key: `\u{fffd}/${key}`,
  name: key,
  mark: '',
  sort: 'document',
});
