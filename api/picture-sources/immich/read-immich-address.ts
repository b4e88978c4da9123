/** Reads the address of an Immich server as people paste it: with or without a path, or one of its shared links. */
import { isIP } from 'node:net';
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import { decodePart } from '../../../runtime/read-address.ts';
import { readPlainUrl } from '../../outgoing/plain-url.ts';

/** A shared link of Immich, by its key or by the name that its owner gave it. Both are secrets. */
export type ImmichLinkName = { readonly key: string } | { readonly slug: string };

/** An address that was pasted. */
export interface ImmichAddress {
  /** The server, with the path below which it answers, and no closing slash. */
  readonly server: string;
  /** The shared link, where one was pasted. */
  readonly link?: ImmichLinkName;
  /** The album whose page was pasted. */
  readonly album?: string;
}

/** Paths of Immich's own pages: what stands before them is the path of the server. */
const pages: readonly string[] = [
  ...[
    'api',
    'photos',
    'albums',
    'people',
    'explore',
    'search',
    'sharing',
    'shared-links',
    'favorites',
    'memory',
    'map',
  ],
  ...[
    'archive',
    'trash',
    'places',
    'tags',
    'folders',
    'utilities',
    'locked',
    'auth',
    'admin',
    'partners',
    'share',
    's',
  ],
  ...['user-settings', 'recently-added', 'buy', 'link', 'maintenance'],
];

/** Immich's ids. */
export const immichIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const immichKeyForm = /^[\w-]{16,200}$/;
const maxSlugLength = 200;

/** Reads a pasted address. */
export function readImmichAddress(text: string): ImmichAddress | Reason {
  const url = readPlainUrl(withScheme(text.trim()));
  if (!(url instanceof URL)) return url;
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const page = segments.findIndex((segment) => pages.includes(segment));
  const before = page < 0 ? segments : segments.slice(0, page);
  const [name, rest = ''] = page < 0 ? [] : segments.slice(page);
  const server = `${url.origin}${before.map((segment) => `/${segment}`).join('')}`;
  if (name === 'share') {
    return immichKeyForm.test(rest) ? { server, link: { key: rest } } : reasonOf('album-source-link-cut');
  }
  if (name === 's') {
    const slug = decodePart(rest);
    const isRead = slug !== undefined && slug !== '' && slug.length <= maxSlugLength;
    return isRead ? { server, link: { slug } } : reasonOf('album-source-link-cut');
  }
  return name === 'albums' && immichIdForm.test(rest) ? { server, album: rest.toLowerCase() } : { server };
}

/** Puts the scheme in front that an address without one most likely has: a house has HTTP, everything else HTTPS. */
function withScheme(text: string): string {
  if (text === '' || /^[a-z][a-z\d+.-]{0,20}:\/\//i.test(text)) return text;
  const [authority = ''] = text.split(/[/?#]/, 1);
  const [, host = ''] = /^(\[[^\]]*\]|[^:]*)/.exec(authority) ?? [];
  const isHouse =
    isIP(host.replaceAll(/[[\]]/g, '')) !== 0 || !host.includes('.') || /\.(?:local|lan|home)$/i.test(host);
  return `${isHouse || authority.endsWith(':2283') ? 'http' : 'https'}://${text}`;
}
