/**
 * Paths of WebDAV as keys. A key is the path below the folder, decoded, so that a server may encode as it likes; it holds the
 * bytes exactly, since a name is asked for as it was listed: `%` is `%25`, a slash in a name `%2F`, and a byte that is not
 * UTF-8 stays percent-encoded (WD-6).
 */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes what is percent-encoded; a `%` that encodes nothing is meant. */
function bytesOf(written: string): Buffer {
  const bytes = Buffer.from(written);
  if (!written.includes('%')) return bytes;
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === 0x25 ? hexByte(bytes.toString('latin1', at + 1, at + 3)) : undefined;
    bytes[end++] = code ?? (bytes[at] as number);
    if (code !== undefined) at += 2;
  }
  return bytes.subarray(0, end);
}

const hexByte = (text: string): number | undefined =>
  /^[0-9a-f]{2}$/i.test(text) ? Number.parseInt(text, 16) : undefined;

const escaped = (code: number): string => `%${code.toString(16).toUpperCase().padStart(2, '0')}`;

/** Returns one name as a part of a key; undefined for one that leads elsewhere or is none. */
function keyPart(written: string): string | undefined {
  const bytes = bytesOf(written);
  if (bytes.includes(0)) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes).replaceAll('%', '%25').replaceAll('/', '%2F');
  } catch {
    text = Array.from(bytes, (code) =>
      code > 0x7f || code === 0x25 || code === 0x2f ? escaped(code) : String.fromCharCode(code),
    ).join('');
  }
  return text === '.' || text === '..' ? undefined : text;
}

/** Returns the parts of a path as its server wrote it; undefined where one leads elsewhere. */
export function partsOfPath(path: string): readonly string[] | undefined {
  const parts = path.split('/').flatMap((written) => (written === '' ? [] : [keyPart(written)]));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/**
 * Returns the parts of the path in an `href`, a path or a whole address. Nothing in it is a query: servers that do not encode
 * `?` and `#` mean names. Undefined for another host (WD-7).
 */
export function partsOfHref(href: string, hostname: string): readonly string[] | undefined | 'elsewhere' {
  const [start = '', authority] = /^(?:https?:)?\/\/([^/]*)/i.exec(href) ?? [];
  const path = href.slice(start.length);
  if (authority !== undefined && URL.parse(`http://${authority}`)?.hostname !== hostname) return 'elsewhere';
  return path.startsWith('/') || path === '' ? partsOfPath(path) : undefined;
}

/** Returns whether two parts name the same; macOS and its shares decompose letters that others compose. */
export const isSamePart = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && (one === other || one.normalize('NFC') === other?.normalize('NFC'));

/** Returns the name that a person reads. */
export const nameOfPart = (part: string): string =>
  part.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Returns a key as it stands in an address. */
export const pathOfKey = (key: string): string =>
  key
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/%25([0-9A-F]{2})/g, '%$1'))
    .join('/');

/** Returns whether a text is a key: nothing else is asked for. */
export const isDavKey = (text: string): boolean =>
  text !== '' && text.isWellFormed() && text.split('/').every((part) => part !== '' && keyPart(part) === part);
