/** Removes from an archive what no moment needs that is kept. */
import { chainOf, chainsPrefix, filesPrefix, isPartName, readBaseName, readSegmentName } from './archive-names.ts';
import type { BaseHead } from './archive-segment.ts';
import { readFileName } from './follow-files.ts';
import { type OpenedArchive, readBase } from './rebuild-database.ts';

/**
 * Keeps every moment since a time, and the newest copy of the database before it. Where no copy is older, all is kept.
 * @param since epoch milliseconds
 * @param present the files that the service has now
 * @returns how many objects were removed
 */
export async function tidyArchive(
  archive: OpenedArchive,
  { since, present }: { readonly since: number; readonly present: readonly string[] },
): Promise<number> {
  const { place } = archive;
  const names = await place.list(chainsPrefix);
  const bases = names.map(readBaseName).filter((base) => base !== undefined);
  const oldest = bases.findLast(({ at }) => at <= since);
  const kept = bases.filter((base) => oldest === undefined || base.name >= oldest.name);
  const heads: BaseHead[] = [];
  for (const base of kept) heads.push(await readBase(archive, base));
  const parts = new Set(heads.flatMap((head) => head.parts.map(({ name }) => name)));
  const needed = new Set([...present, ...heads.flatMap((head) => head.files)]);
  const isNeeded = (name: string): boolean => {
    if (isPartName(name)) return parts.has(name);
    if (oldest === undefined || chainOf(name) > oldest.chain) return true;
    return chainOf(name) === oldest.chain && isSince(name, oldest.number);
  };
  const gone = names.filter((name) => !isNeeded(name));
  if (oldest !== undefined) {
    for (const name of await place.list(filesPrefix)) {
      const read = readFileName(name);
      if (read !== undefined && read.at < oldest.at && !needed.has(read.file)) gone.push(name);
    }
  }
  for (const name of gone) await place.remove(name);
  return gone.length;
}

function isSince(name: string, number: number): boolean {
  const base = readBaseName(name);
  return base === undefined ? (readSegmentName(name)?.number ?? number + 1) > number : base.number >= number;
}
