/** Fetches single files over WebDAV: small ones where a cloud makes them, else as they are. */
import { reasonOf } from '../../../reasons/reason.ts';
import type { FollowedAnswer } from '../../outgoing/follow-redirects.ts';
import { faultOfStatus } from '../ask-for-files.ts';
import { type FetchWish, SourceFault } from '../source.ts';
import { isDavKey, nameOfPart, partsOfPath, pathOfKey } from './folder-path.ts';
import type { DavAccess, DavRoot } from './webdav-access.ts';

/** The most of a file, and of its beginning, in which cameras write when it was taken (WD-9). */
const [maxMegabytes, headBytes] = [64, 256 * 1024];
const maxPreviewBytes = 16 * 1024 * 1024;
const times = { timeoutMs: 30_000, bodyTimeoutMs: 120_000 } as const;

const isGone = ({ status }: FollowedAnswer): boolean => status === 404 || status === 410;

/** Fetches a picture; undefined when it is no longer there. */
export async function fetchDavFile(
  access: DavAccess,
  key: string,
  wish: FetchWish,
  now: () => number,
): Promise<Buffer | undefined> {
  if (!isDavKey(key)) return undefined;
  const root = await access.open();
  const preview = await fetchPreview(access, key, wish.longSide);
  if (preview !== 'none') return preview;
  const url = new URL(pathOfKey(key), root.root);
  const answer = await access.ask({ url, readLimitBytes: maxMegabytes * 1024 * 1024, ...times }).catch(tooLarge);
  if (answer.status === 200) return answer.body;
  if (isGone(answer)) return undefined;
  throw faultOfStatus(answer, now());
}

function tooLarge(error: unknown): never {
  if (!(error instanceof SourceFault) || error.kind !== 'unusable') throw error;
  throw new SourceFault('unusable', reasonOf('album-source-file-too-large', { most: maxMegabytes }));
}

/**
 * Fetches the small picture that a cloud makes of a file (WD-10).
 * @returns `none` where it makes none; undefined when the file is no longer there
 */
export async function fetchPreview(
  access: DavAccess,
  key: string,
  longSide: number,
): Promise<Buffer | 'none' | undefined> {
  const root = await access.open();
  if (root.cloud === undefined || (root.token ?? root.self.fileId) === undefined) return 'none';
  const side = String(Math.min(Math.max(Math.ceil(longSide), 32), 4_096));
  const url = root.token === undefined ? await previewOfFile(access, root.cloud, key) : previewOfShare(root, key);
  if (url === undefined) return undefined;
  for (const name of ['x', 'y']) url.searchParams.set(name, side);
  // A server without this address has the file itself, so no answer but a picture counts.
  const answer = await access
    .ask({ url, readLimitBytes: maxPreviewBytes, ...times })
    .catch((error: unknown) => passUnlessDenied(error));
  return answer?.status === 200 && isPicture(answer) ? answer.body : 'none';
}

async function previewOfFile(access: DavAccess, cloud: string, key: string): Promise<URL | undefined> {
  const file = await access.stat(key);
  if (file === undefined) return undefined;
  const url = new URL('index.php/core/preview', cloud);
  url.search = new URLSearchParams({ fileId: file.fileId ?? '', a: '1', forceIcon: '0' }).toString();
  return url;
}

function previewOfShare({ cloud, root, token = '' }: DavRoot, key: string): URL {
  const url = new URL(`index.php/apps/files_sharing/publicpreview/${token}`, cloud);
  // The folder within the link that was opened.
  const marker = root.pathname.includes(`/${token}/`) ? `/${token}/` : '/webdav/';
  const inner = root.pathname.slice(root.pathname.indexOf(marker) + marker.length);
  const file = (partsOfPath(`${inner}${pathOfKey(key)}`) ?? []).map(nameOfPart).join('/');
  url.search = new URLSearchParams({ file: `/${file}`, a: 'true' }).toString();
  return url;
}

function passUnlessDenied(error: unknown): undefined {
  if (!(error instanceof SourceFault) || error.kind === 'denied') throw error;
}

/** The media type is what a server says of it; the bytes are looked at when they are decoded. */
const isPicture = ({ contentType = '', body }: FollowedAnswer): boolean =>
  /^image\/(?:jpeg|png|webp|gif|avif)\b/i.test(contentType) && body.length > 0;

/** Reads the beginning of a file; undefined when it is no longer there. */
export async function fetchDavHead(access: DavAccess, key: string, now: () => number): Promise<Buffer | undefined> {
  if (!isDavKey(key)) return undefined;
  const { root } = await access.open();
  let pieces: Buffer[] = [];
  let length = 0;
  const full = new SourceFault('unusable', reasonOf('album-source-unreadable'));
  const beginTaking = (): ((piece: Buffer) => void) => {
    pieces = [];
    length = 0;
    return (piece) => {
      pieces.push(piece);
      length += piece.length;
      // A server that knows no ranges sends the whole file.
      if (length > headBytes) throw full;
    };
  };
  const question = { url: new URL(pathOfKey(key), root), headers: { range: `bytes=0-${headBytes - 1}` }, beginTaking };
  const answer = await access.ask({ ...question, readLimitBytes: 2 * headBytes, ...times }).catch((error: unknown) => {
    if (length <= headBytes) throw error;
  });
  if (answer === undefined || answer.status === 200 || answer.status === 206) {
    return Buffer.concat(pieces).subarray(0, headBytes);
  }
  if (isGone(answer)) return undefined;
  if (answer.status === 416) return Buffer.alloc(0);
  throw faultOfStatus(answer, now());
}
