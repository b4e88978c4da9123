/** The address by which a frame of TRMNL's protocol names itself, and the serial that it has here. */

import { createHash } from 'node:crypto';

const written =
  /^([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})$/i;
const prefix = 'trmnl-';

/**
 * The serial of a frame: `trmnl-` and the twelve hex digits of its MAC address.
 * @param text an address with colons, with dashes or without either; or such a serial
 * @returns undefined for anything else
 */
export function serialOfAddress(text: string): string | undefined {
  const given = text.trim();
  const parts = written.exec(given.toLowerCase().startsWith(prefix) ? given.slice(prefix.length) : given);
  return parts === null ? undefined : `${prefix}${parts.slice(1).join('').toLowerCase()}`;
}

/** The MAC address in such a serial, in capitals with colons; undefined for other serials. */
export function addressOfSerial(serial: string): string | undefined {
  const digits = /^trmnl-([0-9a-f]{12})$/i.exec(serial)?.[1];
  return digits?.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:');
}

/**
 * The serial of a client that sends its token and no address, such as KOReader's plugin: a locally administered address made
 * from the digest of the token, so that it is the same each time and no other client has it.
 */
export function serialOfToken(token: string): string {
  const bytes = createHash('sha256').update(`address ${token}`).digest().subarray(0, 6);
  bytes[0] = ((bytes[0] ?? 0) & 0xfc) | 0x02;
  return `${prefix}${bytes.toString('hex')}`;
}
