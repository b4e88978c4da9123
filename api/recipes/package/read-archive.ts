/** Reads the texts of an archive in memory, within bounds: nothing is unpacked to a disk (RC-99). */
import { text as textOfStream } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';

/** Why an archive is refused, by a code of `reasons/sentences/recipes.ts`. */
export class BadArchive extends Error {
  readonly code: 'archive-unreadable' | 'archive-too-large' | 'archive-hostile';
  constructor(code: BadArchive['code']) {
    super(code);
    this.code = code;
  }
}

/** The names that belong to recipes. Others are not even unpacked. */
const wantedName = /(?:^|\/)(?:settings\.ya?ml|[\w-]+\.liquid|transform\.(?:js|py|rb|php)|LICEN[CS]E(?:\.\w+)?)$/;
const bounds = { entries: 5_000, files: 400, fileBytes: 1_048_576, allBytes: 4_194_304 } as const;
const unixLink = 0o120000;

/**
 * Returns the texts of an archive by their paths.
 * @throws BadArchive
 */
export async function readArchive(bytes: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  let [all, entries] = [0, 0];
  const zip = await opened(bytes);
  try {
    for await (const entry of zip.eachEntry()) {
      entries++;
      if (entries > bounds.entries) throw new BadArchive('archive-too-large');
      if (((entry.externalFileAttributes >>> 16) & 0o170000) === unixLink) throw new BadArchive('archive-hostile');
      if (!wantedName.test(entry.fileName)) continue;
      all += entry.uncompressedSize;
      const isTooLarge =
        entry.uncompressedSize > bounds.fileBytes || all > bounds.allBytes || files.size >= bounds.files;
      if (isTooLarge) throw new BadArchive('archive-too-large');
      files.set(entry.fileName, await textOf(zip, entry));
    }
    return files;
  } catch (error) {
    if (error instanceof BadArchive) throw error;
    // A name that leads out of the archive, a size that is a lie, bytes that are none.
    throw new BadArchive(
      /relative path|absolute path|invalid characters/.test(String(error)) ? 'archive-hostile' : 'archive-unreadable',
    );
  } finally {
    zip.close();
  }
}

async function opened(bytes: Uint8Array): Promise<ZipFile> {
  try {
    return await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch {
    throw new BadArchive('archive-unreadable');
  }
}

const textOf = async (zip: ZipFile, entry: Entry): Promise<string> =>
  textOfStream(await zip.openReadStreamPromise(entry));
