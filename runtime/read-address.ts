/** Reads addresses as people write them, those with a user and a password among them. */

/** Parses an address. */
export const parseUrl = (written: string, base?: string): URL | undefined => URL.parse(written, base) ?? undefined;

/** Reads user or password as they stand in an address, with signs as `%40`; undefined where one cannot be read. */
export function decodePart(written: string): string | undefined {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

/**
 * Returns what is wrong with the user or password of an address, without quoting any of it; undefined where nothing is.
 * `@` and `:` within a password are read as they are meant where nothing else is in the way.
 */
export function loginMistake(written: string): string | undefined {
  const [, login = ''] = /^[^:]+:\/\/([^/?#]*)@/.exec(written) ?? [];
  if (!isLoginCut(written) && decodePart(login) !== undefined) return undefined;
  return 'its user or password has signs that end it there, or are not read as written: percent-encode # ? / @ : % as %23 %3F %2F %40 %3A %25';
}

/**
 * Returns whether an address carries a user and a password with a `#`, `/` or `?`, where the parser ends the host: of
 * `https://anna:p#ss@host/` it would read the host `anna`.
 */
export function isLoginCut(written: string): boolean {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(written) ?? [];
  const isWeb = /^(?:ntfy\+)?https?$/i.test(scheme);
  const [authority = ''] = rest.split(isWeb ? /[/?#\\]/ : /[/?#]/, 1);
  const tail = rest.slice(authority.length);
  if (!tail.includes('@')) return false;
  return isWeb ? isWebLoginCut(authority, tail) : isPlainLoginCut(authority, tail);
}

/** Servers of mail, brokers and databases have an `@` in the value of a parameter at most. */
function isPlainLoginCut(authority: string, tail: string): boolean {
  if (tail.startsWith('?') && !authority.includes('@')) return true;
  return tail.replaceAll(/[?&][\w.-]+=[^&#]*/g, '').includes('@');
}

/** On the web an `@` may stand behind a host: a port, a path and then a sign such as in `?mail=a@example.org`. */
function isWebLoginCut(authority: string, tail: string): boolean {
  if (authority.includes('@')) return authority.endsWith('@') || tail.startsWith('#');
  const [, name, port = ''] = /^([^:[\]]*):(.*)$/.exec(authority) ?? [];
  if (name === undefined) return false;
  return name === '' || !/^\d{1,5}$/.test(port) || (!name.includes('.') && tail.startsWith('#'));
}
