/**
 * The name under which the service asks other servers. Some, Office 365 among them, answer browsers alone, so that it
 * names itself as a browser does, with its own name behind.
 */

/** The name unless the operator sets another one. Its version is that of the browser that the driver is made for. */
export const defaultUserAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36 Papergate';
