/** The archive as a whole: the object that says whose it is, and the key that opens the others. */
import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { markerName } from './archive-names.ts';
import { ArchiveFault, type ArchivePlace } from './archive-place.ts';
import { type ArchiveSeal, makeSeal, openSeal, unsealed } from './archive-seal.ts';

const marker = z.object({
  format: z.literal(1),
  service: z.string().max(100),
  isSealed: z.boolean(),
});

/** The marker of an archive. */
export type ArchiveMarker = z.output<typeof marker>;

/**
 * Reads the marker of an archive; undefined where the place is empty.
 * @throws ArchiveFault for something else under its name, or of a newer version
 */
export async function readMarker(place: ArchivePlace): Promise<ArchiveMarker | undefined> {
  const stored = await place.get(markerName);
  if (stored === undefined) return undefined;
  try {
    return marker.parse(JSON.parse(stored.toString('utf8')));
  } catch {
    throw new ArchiveFault(
      `${markerName} is not that of an archive, or of one that a newer version wrote`,
      'name another place, or install that version',
    );
  }
}

/** A service that archives, and what it remembers of the place under the name that it is given. */
export interface ArchiveOwner {
  readonly service: string;
  readonly key: string | undefined;
  readonly begun: BegunArchive;
}

/** Whether the service ever began an archive in the place; kept over starts. */
export interface BegunArchive {
  isKnown(): Promise<boolean>;
  keep(): Promise<void>;
}

/** The fault of a place that is empty where an archive was: what is written there would land on the disk beneath the share. */
export function goneArchive(): ArchiveFault {
  const hint = 'is the disk or the share mounted? where the archive is lost for good, name another place for a new one';
  return new ArchiveFault('the archive is gone from its place', hint, 'away');
}

/**
 * Opens the archive of a service for writing, and begins one in an empty place that never had one of it.
 * @throws ArchiveFault for the place of another service, one that was begun with or without a key, and one that is empty and was not
 */
export async function openOwnArchive(place: ArchivePlace, owner: ArchiveOwner): Promise<ArchiveSeal> {
  const seal = await openOrBegin(place, owner);
  if (!(await owner.begun.isKnown())) await owner.begun.keep();
  return seal;
}

async function openOrBegin(place: ArchivePlace, { service, key, begun }: ArchiveOwner): Promise<ArchiveSeal> {
  const found = await readMarker(place);
  if (found === undefined) {
    if (await begun.isKnown()) throw goneArchive();
    const seal = key === undefined ? unsealed : await makeSeal(place, key);
    const text = JSON.stringify({ format: 1, service, isSealed: key !== undefined });
    await place.put(markerName, Buffer.from(text)).catch(async (error: unknown) => {
      // What did not arrive whole would be taken for somebody else's.
      await place.remove(markerName).catch(() => {});
      throw error;
    });
    return seal;
  }
  if (found.service !== service) {
    throw new ArchiveFault(
      'the place has the archive of another service',
      'name a place of its own for this one',
      'taken',
    );
  }
  if (found.isSealed) return openSeal(place, key);
  if (key === undefined) return unsealed;
  throw new ArchiveFault(
    'the archive was begun without a key, and PAPERGATE_BACKUP_KEY is set',
    'name an empty place, so that all of it is encrypted',
  );
}

/**
 * Opens an archive for reading.
 * @throws Refusal `bad-configuration` where there is none, and without its key
 */
export async function openArchive(
  place: ArchivePlace,
  key: string | undefined,
): Promise<{ readonly marker: ArchiveMarker; readonly seal: ArchiveSeal }> {
  const found = await readMarker(place);
  if (found === undefined) {
    throw refuse('bad-configuration', {
      message: 'there is no archive at the place that was named',
      hint: 'give the place that PAPERGATE_ARCHIVE names for the service: --from PLACE',
    });
  }
  return { marker: found, seal: found.isSealed ? await openSeal(place, key) : unsealed };
}
