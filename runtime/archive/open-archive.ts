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

/**
 * Opens the archive of a service for writing, and begins one in an empty place.
 * @throws ArchiveFault for the place of another service, and one that was begun with or without a key
 */
export async function openOwnArchive(
  place: ArchivePlace,
  { service, key }: { readonly service: string; readonly key: string | undefined },
): Promise<ArchiveSeal> {
  const found = await readMarker(place);
  if (found === undefined) {
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
    throw new ArchiveFault('the place has the archive of another service', 'name a place of its own for this one');
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
