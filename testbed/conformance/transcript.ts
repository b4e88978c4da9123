/** The exchanges of frame and kit, in order, for people to read: without secrets, and in bounds. */
import type { Clock } from '../../runtime/clock.ts';

/** One thing that was said or done. */
export interface Exchange {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly from: 'frame' | 'kit';
  /** The topic of a message, or what else it is. */
  readonly what: string;
  /** Its text without secrets, shortened. */
  readonly said: string;
}

/** Records what is said. */
export type RecordExchange = (from: Exchange['from'], what: string, said: string | Uint8Array) => void;

const maxCharacters = 800;
/** The least length of a secret: a shorter text could be a word of any message. */
const minSecretCharacters = 6;

/**
 * Creates the function that records.
 * @param secrets texts that must never appear, no matter who sends them
 */
export function recordExchanges(
  clock: Clock,
  secrets: readonly string[],
  heard: (exchange: Exchange) => void,
): RecordExchange {
  return (from, what, said) => {
    const text = typeof said === 'string' ? said : new TextDecoder().decode(said);
    heard({ at: clock.now(), from, what: withoutSecrets(what, secrets), said: readable(text, secrets) });
  };
}

/** A text of a stranger without secrets, and shortened. */
export function readable(text: string, secrets: readonly string[] = []): string {
  const safe = withoutSecrets(text, secrets);
  return safe.length <= maxCharacters ? safe : `${safe.slice(0, maxCharacters)}… (${safe.length} characters in all)`;
}

/**
 * Removes from a text everything that grants access: the given secrets, private keys, values of fields named so, and of
 * addresses the user, the query and each part that nobody could guess.
 */
export function withoutSecrets(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret.length >= minSecretCharacters);
  const hidden = known.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  return hidden
    .replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, '…')
    .replaceAll(
      /("[^"]*(?:key|token|password|secret|signature|authorization)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi,
      '$1"…"',
    )
    .replaceAll(/\b(https?|mqtts?|wss?):\\?\/\\?\/[^\s"'<>]+/gi, addressWithoutSecrets)
    .replaceAll(/(?<![\w/])(\/f\/)[\w-]+/g, '$1…')
    .replaceAll(/\?[\w.~-]+=[^\s"'<>]*/g, '?…');
}

function addressWithoutSecrets(address: string): string {
  const [whole = ''] = address.split(/[?#]/);
  const [scheme = '', rest = ''] = whole.split(/:\\?\/\\?\//);
  const [place = '', ...path] = rest.split('/');
  const host = place.includes('@') ? `…@${place.slice(place.lastIndexOf('@') + 1)}` : place;
  const shown = path.map((part) =>
    /^(?=.*\d)[\w-]{16,}/.test(part) || (path[0] === 'f' && part !== 'f') ? '…' : part,
  );
  return `${scheme}://${[host, ...shown].join('/')}${whole === address ? '' : '?…'}`;
}
