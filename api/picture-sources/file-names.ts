/** Names of files in folders of pictures: what they say of a file, and which of them nobody means. */
import type { ListedPicture } from './source.ts';

type Sort = NonNullable<ListedPicture['sort']>;

const endings: Readonly<Record<Sort, readonly string[]>> = {
  picture: 'jpg jpeg jpe jfif png gif webp avif heic heif hif tif tiff bmp'.split(' '),
  video: 'mp4 m4v mov avi mkv webm mpg mpeg mts m2ts 3gp 3g2 wmv flv ogv insv lrv'.split(' '),
  // Raw files of cameras are documents, too: what hangs is developed from them first.
  document: 'pdf svg psd xcf dng cr2 cr3 crw nef nrw arw sr2 srf raf orf rw2 pef srw x3f 3fr erf kdc mrw rwl raw'.split(
    ' ',
  ),
};

const sorts: ReadonlyMap<string, Sort> = new Map(
  (Object.keys(endings) as Sort[]).flatMap((sort) => endings[sort].map((ending) => [ending, sort] as const)),
);

/**
 * Returns the sort of a file by the ending of its name, else by the media type that its server states; undefined for one
 * that has no place in an album, such as a list of settings next to a picture.
 */
export function sortOfFile(name: string, mediaType = ''): Sort | undefined {
  const dot = name.lastIndexOf('.');
  if (dot > 0) return sorts.get(name.slice(dot + 1).toLowerCase());
  if (mediaType.startsWith('image/')) return 'picture';
  return mediaType.startsWith('video/') ? 'video' : undefined;
}

const strayFolders: ReadonlySet<string> = new Set([
  '@eadir',
  '#recycle',
  '#snapshot',
  '$recycle.bin',
  'lost+found',
  '__macosx',
]);
const unfinished: readonly string[] = [
  '.part',
  '.partial',
  '.filepart',
  '.tmp',
  '.temp',
  '~',
  '.crdownload',
  '.download',
];

/**
 * Returns whether nobody means a file or folder: hidden ones, previews and trash of a storage box, and files that another
 * program is still writing (WD-12, FO-3).
 */
export function isStrayName(name: string): boolean {
  const plain = name.toLowerCase();
  return (
    plain.startsWith('.') ||
    plain === 'thumbs.db' ||
    strayFolders.has(plain) ||
    unfinished.some((ending) => plain.endsWith(ending))
  );
}
