/** Whether an address that is being typed is whole, so that it is worth asking. Pure. */
import type { SourceKind } from './source-kinds.ts';

/** Returns whether an Immich address is a shared link, which needs no key. */
export const isImmichLink = (address: string): boolean => /\/(?:share|s)\/[^/\s]+/.test(address);

/** Returns whether an address names a public link of a cloud, which needs no user. */
export const isCloudLink = (address: string): boolean => /\/s\/[\w-]{3,64}/.test(address);

const isHost = (host: string): boolean =>
  host === 'localhost' ||
  host.startsWith('[') ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) ||
  /\.[a-z][a-z\d-]+$/i.test(host);

/** Returns whether an address is whole. A host without a dot is one once a port or a path stands behind it. */
export function isWholeAddress(kind: SourceKind, text: string): boolean {
  const written = text.trim();
  if (written === '' || /\s/.test(written)) return false;
  const plain = written.replace(/^(?:web)?dav(s?):\/\//i, 'http$1://');
  const withScheme = /^https?:\/\//i.test(plain) ? plain : `https://${plain}`;
  if (!URL.canParse(withScheme)) return false;
  const { hostname, port, pathname, hash } = new URL(withScheme);
  if (kind === 'icloud' && /(?:^|\.)icloud\.com$/.test(hostname)) {
    return /^#[A-Za-z\d]{8,}/.test(hash) || /^\/shared\/album\/[\w-]{8,}/.test(pathname);
  }
  return isHost(hostname) || port !== '' || pathname.length > 1;
}
