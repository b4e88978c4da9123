/** The format of receipts, for those who write them and for those who check them. */
import { createHash } from 'node:crypto';

/** The first line of a file names this. */
export const recordFormat = 'papergate-record-1';

/** The hash in the first receipt of a chain, in the place of the one before it. */
export const noHash = '0'.repeat(64);

/** Hashes a line of a record, or the bytes of one, as hex. */
export const hashOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
