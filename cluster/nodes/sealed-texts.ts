/**
 * Texts between nodes, sealed: anyone who may connect to the database may send notifications and listen to them. A
 * notification is encrypted and authentic under a key of the nodes (AES-256-GCM), and counted, so that one that is sent
 * again by somebody else is dropped.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { BoundedMap } from '../../runtime/bounded-map.ts';

/** The bytes that a notification of PostgreSQL has room for, less than 8000. */
const maxNotificationBytes = 7_999;
const nonceBytes = 12;
const tagBytes = 16;
/** The most bytes that are sealed together: base64 makes four of three. */
const maxPlainBytes = Math.floor(maxNotificationBytes / 4) * 3 - nonceBytes - tagBytes;
/** The bytes of the line with the sender and the count. */
const headBytes = 96;

/** The most bytes of all texts of one notification, with a line break before each. */
export const maxSealedBytes = maxPlainBytes - headBytes;

/** The first notification from a node must not be older than this, or come from as far in the future. */
const maxAgeMs = 60_000;
/** The senders whose counts are kept. There are a few nodes, each with a new id for every start. */
const maxSenders = 64;

/** The sealed text. */
export interface OpenedTexts {
  readonly from: string;
  readonly texts: readonly string[];
}

/** Seals and opens for one node. */
export interface SealedTexts {
  /** Seals texts without line breaks for a channel. */
  seal(channel: string, texts: readonly string[]): string;
  /** Opens what another node, or this one, has sealed; undefined for everything else, and for what came before. */
  open(channel: string, sealed: string): OpenedTexts | undefined;
  /** Returns a name that nobody can guess for a channel. */
  nameOf(channel: string): string;
}

/**
 * Makes the seal of one node.
 * @param node the id of this start, which no other has
 * @param key 32 bytes that all nodes have, and nobody else
 * @param now epoch milliseconds by the clock of this machine
 */
export function sealedTexts(node: string, key: Uint8Array, now: () => number): SealedTexts {
  /** The count of the last notification of each sender, the one that was received last at the end. */
  const counts = new BoundedMap<string, number>(maxSenders);
  let sent = 0;

  /** A count is the time of its sealing, and greater than every one before. */
  const nextCount = (): number => {
    sent = Math.max(sent + 1, now());
    return sent;
  };

  function isNew(from: string, count: number): boolean {
    const last = counts.get(from);
    if (last === undefined ? Math.abs(now() - count) > maxAgeMs : count <= last) return false;
    counts.set(from, count);
    return true;
  }

  return {
    seal(channel, texts) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(channel));
      const plain = [`${node} ${nextCount()}`, ...texts].join('\n');
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(channel, sealed) {
      const plain = decrypted(key, channel, sealed);
      if (plain === undefined) return undefined;
      const [head = '', ...texts] = plain.split('\n');
      const [from = '', count = ''] = head.split(' ');
      return isNew(from, Number(count)) ? { from, texts } : undefined;
    },
    nameOf: (channel) => `papergate_${createHmac('sha256', key).update(channel).digest('hex').slice(0, 40)}`,
  };
}

function decrypted(key: Uint8Array, channel: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(channel));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
