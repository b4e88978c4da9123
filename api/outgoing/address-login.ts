/** Logins for addresses: a header that goes to one origin and to no other (T-93). */

/** The header that an origin wants, such as a bearer token. The value is a secret. */
export interface AddressLogin {
  /** The origin as `URL.origin` writes it. */
  readonly origin: string;
  /** The name in lower case. */
  readonly header: string;
  readonly value: string;
}

/** Returns the headers that go along to an address: those of a login for its very origin. */
export function loginHeaders(logins: readonly AddressLogin[], url: URL): Readonly<Record<string, string>> {
  return Object.fromEntries(
    logins.flatMap(({ origin, header, value }) => (origin === url.origin ? [[header, value]] : [])),
  );
}
