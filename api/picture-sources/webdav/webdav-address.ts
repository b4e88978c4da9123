/**
 * Addresses of WebDAV as people have them: of a folder, of a public link, or of the page of a cloud that is open in their
 * browser. Which way leads to the files is known by asking alone, so each address has several, in their order (WD-1, WD-3).
 */
import type { Reason } from '../../../reasons/reason.ts';
import { readPlainUrl } from '../../outgoing/plain-url.ts';
import type { PublicWay } from './cloud-status.ts';
import { partsOfPath, pathOfKey } from './folder-path.ts';

/** A login of a folder; a public link has a password at most. */
export interface WebdavLogin {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/** An address that a person entered, as it is kept. */
export interface WebdavAddress {
  readonly address: string;
  /** A folder, a public link of Nextcloud or ownCloud, or a page of such a cloud, whose files belong to the login. */
  readonly sort: 'folder' | 'share' | 'cloud';
}

/** A way to the files of an address. */
export interface WebdavWay {
  /** The address of the folder, which ends with a slash. */
  readonly root: URL;
  /** The header that signs in, which is sent at once: public links are not asked for it (WD-4). */
  readonly authorization?: string | undefined;
  /** Where the cloud itself lies, for its version and its previews. */
  readonly cloud?: string | undefined;
  /** The public link that the files belong to. */
  readonly token?: string | undefined;
  /** The program that has this way. */
  readonly of?: PublicWay | undefined;
}

/** Reads what a person enters: file managers write `davs://` for `https://`. */
export function readWebdavAddress(written: unknown): WebdavAddress | Reason {
  const text = typeof written === 'string' ? written.trim().replace(/^(?:web)?dav(s?):\/\//i, 'http$1://') : written;
  const url = readPlainUrl(text);
  if (!(url instanceof URL)) return url;
  url.hash = '';
  const { token, isCloud } = partsOfLink(url);
  return { address: url.href, sort: token !== undefined ? 'share' : isCloud ? 'cloud' : 'folder' };
}

/** The parts of an address that are recognised. */
interface Link {
  /** The path before what belongs to the cloud's pages. */
  readonly base: readonly string[];
  readonly token?: string | undefined;
  readonly isCloud: boolean;
  /** The folder that the page shows. */
  readonly folder: readonly string[];
}

function partsOfLink(url: URL): Link {
  const parts = partsOfPath(url.pathname) ?? [];
  const folder = partsOfPath(url.searchParams.get('dir') ?? url.searchParams.get('path') ?? '') ?? [];
  const baseUntil = (end: number): readonly string[] => parts.slice(0, parts[end - 1] === 'index.php' ? end - 1 : end);
  const share = parts.findIndex((part, at) => part === 's' && /^[\w-]{3,64}$/.test(parts[at + 1] ?? ''));
  if (share >= 0 && share <= 3) return { base: baseUntil(share), token: parts[share + 1], isCloud: true, folder };
  const apps = parts.findIndex((part, at) => part === 'apps' && parts[at + 1] !== undefined);
  if (apps >= 0) return { base: baseUntil(apps), isCloud: true, folder };
  const [last] = parts.slice(-1);
  const isStart = last === undefined || last === 'index.php' || last === 'login';
  return { base: baseUntil(last === 'login' ? parts.length - 1 : parts.length), isCloud: isStart, folder };
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Returns the ways to the files of an address; the first that leads to a folder is taken. */
export function waysOfWebdav(
  { address }: WebdavAddress,
  { user = '', password = '' }: WebdavLogin,
): readonly WebdavWay[] {
  const url = new URL(address);
  const { base, token, isCloud, folder } = partsOfLink(url);
  const below = (...parts: readonly string[]): URL =>
    new URL(`/${pathOfKey([...base, ...parts, ...folder].join('/'))}/`.replace('//', '/'), url.origin);
  const cloud = new URL(`/${pathOfKey(base.join('/'))}/`.replace('//', '/'), url.origin).href;
  const authorization = user === '' ? undefined : basic(user, password);
  const plain = new URL(url.origin + url.pathname.replace(/\/?$/, '/'));
  if (token !== undefined) {
    const opened = password === '' ? undefined : basic('anonymous', password);
    return [
      { root: below('public.php', 'dav', 'files', token), authorization: opened, cloud, token, of: 'nextcloud-29' },
      { root: below('public.php', 'webdav'), authorization: basic(token, password), cloud, token, of: 'nextcloud' },
      {
        root: below('remote.php', 'dav', 'public-files', token),
        authorization: password === '' ? undefined : basic('public', password),
        cloud,
        token,
        of: 'owncloud',
      },
      // A server of another kind may have a folder of this name.
      { root: plain, authorization },
    ];
  }
  const own = { root: below('remote.php', 'webdav'), authorization, cloud };
  if (isCloud && url.pathname.length > 1) return [own, { root: plain, authorization }];
  if (isCloud) return [{ root: plain, authorization }, own];
  return [{ root: plain, authorization, cloud: cloudOfFiles(plain) }];
}

/** Returns where the cloud lies whose files have an address such as `/remote.php/dav/files/anna/`. */
function cloudOfFiles(root: URL): string | undefined {
  const at = root.pathname.search(/\/(?:remote|public)\.php\//);
  return at < 0 ? undefined : `${root.origin}${root.pathname.slice(0, at)}/`;
}
