/** Walks the folders of a source over WebDAV, one request each, and lists the pictures in them. */
import { createHash } from 'node:crypto';
import { reasonOf } from '../../../reasons/reason.ts';
import { isStrayName, sortOfFile } from '../file-names.ts';
import { type ListedPicture, type ListingEnd, SourceFault } from '../source.ts';
import type { DavEntry } from './ask-folder.ts';
import { nameOfPart } from './folder-path.ts';
import type { DavAccess, DavRoot } from './webdav-access.ts';

/** The folders that a source is of. */
export interface WalkedFolders {
  /** The keys of the folders below the address; none, the address itself. */
  readonly folders: readonly string[];
  readonly withSubfolders: boolean;
}

/** Servers show links to folders as folders, also one that leads up again: names end somewhere. */
const most = { pictures: 100_000, folders: 5_000, depth: 12, page: 1_000 } as const;

/** Lists all pictures of the chosen folders. */
export async function* walkFolders(
  access: DavAccess,
  { folders, withSubfolders }: WalkedFolders,
  before: string | undefined,
): AsyncGenerator<readonly ListedPicture[], ListingEnd, void> {
  const mark = markOf(await access.open(), { folders, withSubfolders });
  if (mark !== undefined && mark === before) return 'unchanged';
  const chosen = folders.length === 0 ? [''] : [...new Set(folders)];
  const queue = [...chosen];
  const seen = new Set<string>(queue);
  let [count, found] = [0, 0];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const listing = await access.list(folder);
    if (listing === undefined) continue;
    if (chosen.includes(folder)) found += 1;
    const pictures = picturesIn(folder, listing.entries);
    count += pictures.length;
    const inner = withSubfolders ? foldersIn(folder, listing.entries).filter((key) => !seen.has(key)) : [];
    for (const key of inner) seen.add(key);
    queue.push(...inner);
    if (count > most.pictures || seen.size > most.folders) {
      throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: most.pictures }));
    }
    for (let from = 0; from < pictures.length; from += most.page) yield pictures.slice(from, from + most.page);
  }
  if (found === 0) throw new SourceFault('gone', reasonOf('album-source-gone', { status: 404 }));
  return { mark };
}

/** In Nextcloud and ownCloud, which number their files, the ETag of a folder changes with all that is below it (WD-8). */
function markOf({ self }: DavRoot, walked: WalkedFolders): string | undefined {
  if (self.fileId === undefined || self.etag === undefined) return undefined;
  const scope = createHash('sha256').update(JSON.stringify([walked.folders, walked.withSubfolders]));
  return `${scope.digest('hex').slice(0, 12)} ${self.etag}`;
}

const keyBelow = (folder: string, part: string): string => (folder === '' ? part : `${folder}/${part}`);

/** Returns the keys of the folders in a folder. */
export const foldersIn = (folder: string, entries: readonly DavEntry[]): string[] =>
  folder.split('/').length >= most.depth
    ? []
    : entries.flatMap(({ isFolder, part }) =>
        isFolder && !isStrayName(nameOfPart(part)) ? [keyBelow(folder, part)] : [],
      );

/** Returns the pictures in a folder, and the files of other sorts that are counted with them. */
export const picturesIn = (folder: string, entries: readonly DavEntry[]): ListedPicture[] =>
  entries.flatMap(({ isFolder, part, bytes, mediaType, etag, changedAt }) => {
    const name = nameOfPart(part);
    if (isFolder || isStrayName(name)) return [];
    const sort = sortOfFile(name, mediaType);
    if (sort === undefined) return [];
    return [
      {
        key: keyBelow(folder, part),
        name,
        mark: etag ?? `${bytes ?? ''}-${changedAt ?? ''}`,
        sort,
        ...(changedAt !== undefined && { arrivedAt: changedAt }),
        ...(bytes !== undefined && { bytes }),
      },
    ];
  });
