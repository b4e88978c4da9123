/** Logins for addresses: what one origin is given, and no other (T-93). */

/** A login for an origin, such as a bearer token. The value is a secret. */
export interface AddressLogin {
  /** The origin as `URL.origin` writes it. */
  readonly origin: string;
  /** The name of the header that has the value, in lower case; empty where `storageKey` is given. */
  readonly header: string;
  readonly value: string;
  /** The key in the storage of the origin's pages (`localStorage`) that has the value, in place of a header. */
  readonly storageKey?: string | undefined;
}

/** Returns the headers that go along to an address: those of a login for its very origin. */
export function loginHeaders(logins: readonly AddressLogin[], url: URL): Readonly<Record<string, string>> {
  return Object.fromEntries(
    logins.flatMap(({ origin, header, value }) => (origin === url.origin && header !== '' ? [[header, value]] : [])),
  );
}

/** A value that the pages of an origin find in their storage. */
export interface StoredValue {
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/**
 * Returns what the pages of each origin find in their storage. A bearer token is put where the pages of Home Assistant look
 * for one: they take it from nowhere else.
 */
export function storedValues(logins: readonly AddressLogin[]): readonly StoredValue[] {
  return logins.flatMap(({ origin, header, value, storageKey }) => {
    if (storageKey !== undefined) return [{ origin, key: storageKey, value }];
    const [, token] = /^Bearer (.+)$/.exec(value) ?? [];
    return header === 'authorization' && token !== undefined
      ? [{ origin, key: 'hassTokens', value: homeAssistantTokens(origin, token) }]
      : [];
  });
}

/** The year 2100: a long-lived token ends when its owner ends it. */
const farAwayMs = 4_102_444_800_000;

/** Writes a token as Home Assistant's frontend (home-assistant-js-websocket) keeps it. */
const homeAssistantTokens = (origin: string, token: string): string =>
  JSON.stringify({
    access_token: token,
    token_type: 'Bearer',
    refresh_token: '',
    expires_in: farAwayMs / 1000,
    expires: farAwayMs,
    hassUrl: origin,
    clientId: `${origin}/`,
  });
