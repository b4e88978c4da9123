/** Stored files in an archive: each is written once, under its digest, before the rows that name it. */
import type { Clock } from '../clock.ts';
import { sha256Of } from '../digest.ts';
import { filesPrefix } from './archive-names.ts';
import type { ArchivePlace } from './archive-place.ts';
import type { ArchiveSeal } from './archive-seal.ts';

/** The files of a service. Names are those of a backup: `files/` or another area, and the digest. */
export interface FollowedFiles {
  names(): Promise<readonly string[]>;
  /** Undefined for a file that was removed meanwhile. */
  read(name: string): Promise<Buffer | undefined>;
  /** Keys and the authority, by name, in base64. */
  keys(): Promise<Readonly<Record<string, string>>>;
}

export interface FileFollower {
  /**
   * Copies what is new.
   * @param meanwhile runs after each file
   */
  follow(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** The files that are there and archived. */
  present(): readonly string[];
}

const namePattern = /^files\/((?:files|pictures|firmware)\/[0-9a-f]{64})-(\d{14})$/;

/** Reads the name of an archived file, with the time at which it was written. */
export function readFileName(
  name: string,
): { readonly file: string; readonly at: number; readonly name: string } | undefined {
  const [, file, at] = namePattern.exec(name) ?? [];
  return file === undefined ? undefined : { file, at: Number(at), name };
}

/** Finds where the files of an archive are: the newest copy of each. */
export async function archivedFiles(place: ArchivePlace): Promise<ReadonlyMap<string, string>> {
  const found = (await place.list(filesPrefix)).map(readFileName).filter((read) => read !== undefined);
  return new Map(found.map(({ file, name }) => [file, name]));
}

export async function fileFollower(
  { place, seal, clock }: { readonly place: ArchivePlace; readonly seal: ArchiveSeal; readonly clock: Clock },
  followed: FollowedFiles,
): Promise<FileFollower> {
  const archived = new Set((await archivedFiles(place)).keys());
  // One that was there before is archived; one that comes back after it was removed is written once more, since its
  // older copy may be about to be cleared away.
  let present = new Set(archived);
  let kept = new Set<string>();
  return {
    async follow(meanwhile = async () => {}) {
      const names = await followed.names();
      for (const name of names) {
        if (present.has(name)) continue;
        const bytes = await followed.read(name);
        // A damaged file is not what its rows mean.
        if (bytes === undefined || !name.endsWith(await sha256Of(bytes))) continue;
        const at = String(clock.now()).padStart(14, '0');
        await place.put(`${filesPrefix}${name}-${at}`, await seal.close(bytes));
        present.add(name);
        await meanwhile();
      }
      kept = new Set(names.filter((name) => present.has(name)));
      present = new Set(kept);
    },
    present: () => [...kept].sort(),
  };
}
