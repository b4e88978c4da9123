/** The findings of the mailbox’s server about the sender of a message (RFC 8601). */
import { type MailHeaders, valuesOf } from './mail-headers.ts';

interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** Such as `header.d`, in lower case as its value. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface AuthResults {
  /** The name by which a server signs its results. */
  readonly server: string;
  readonly results: readonly MethodResult[];
}

/** The name of the own server, and whether the operator set it or a confirmed message taught it. */
export interface TrustedServer {
  readonly name: string;
  readonly isSet: boolean;
}

const maxLength = 8_000;

/** Reads the value of a header `Authentication-Results`; undefined for one that no server signs. */
export function readAuthResults(value: string): AuthResults | undefined {
  const [signature = '', ...rest] = segmentsOf(value.slice(0, maxLength));
  const server = signature.split(' ')[0] ?? '';
  if (server === '' || server.includes('=')) return undefined;
  const results = rest.flatMap((segment) => {
    const [first, ...others] = segment.split(' ').map((word) => pairOf(word));
    if (first === undefined || first[0] === '') return [];
    return [{ method: first[0].split('/')[0] ?? '', result: first[1], properties: new Map(others) }];
  });
  return { server, results };
}

/**
 * Returns the results that count: of the set server, its topmost header, of a learnt one only if it is the topmost of all. A
 * header further down was there before the message came, and anybody may have written it.
 */
export function trustedResults(
  { lines }: Pick<MailHeaders, 'lines'>,
  trusted: TrustedServer | undefined,
): AuthResults | undefined {
  const all = valuesOf(lines, 'authentication-results').map(readAuthResults);
  const name = trusted?.name.toLowerCase();
  if (trusted?.isSet !== true) return name !== undefined && all[0]?.server === name ? all[0] : undefined;
  return all.find((one) => one?.server === name);
}

/** Returns the results of the topmost header, by whose server's name a confirmed message may teach. */
export function topmostResults({ lines }: Pick<MailHeaders, 'lines'>): AuthResults | undefined {
  const [top] = valuesOf(lines, 'authentication-results');
  return top === undefined ? undefined : readAuthResults(top);
}

/**
 * Decides whether results prove that a message comes from the domain of its `From`: by DMARC, or by SPF or DKIM of the same
 * domain or one above it where DMARC says neither yes nor no.
 */
export function provesDomain({ results }: AuthResults, domain: string): boolean {
  const dmarc = results.filter(({ method }) => method === 'dmarc');
  if (dmarc.some(({ result }) => result === 'fail')) return false;
  const names = (one: MethodResult): boolean => (one.properties.get('header.from') ?? domain) === domain;
  if (dmarc.some((one) => one.result === 'pass' && names(one))) return true;
  return results.some(({ method, result, properties }) => {
    if (result !== 'pass') return false;
    if (method === 'spf') return isAligned(properties.get('smtp.mailfrom'), domain);
    return method === 'dkim' && isAligned(properties.get('header.d') ?? properties.get('header.i'), domain);
  });
}

/** Decides whether an address or a domain is of the domain, or of one above it that is not a top one. */
function isAligned(signed: string | undefined, domain: string): boolean {
  const own = signed?.slice(signed.lastIndexOf('@') + 1) ?? '';
  return own === domain || (own.includes('.') && domain.endsWith(`.${own}`));
}

function pairOf(word: string): [string, string] {
  const at = word.indexOf('=');
  return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
}

/** Splits at semicolons, without comments, which may be nested, and with quoted words as one; in lower case. */
function segmentsOf(value: string): readonly string[] {
  const segments: string[] = [];
  let [segment, depth, isQuoted] = ['', 0, false];
  for (let at = 0; at < value.length; at++) {
    const char = value[at] ?? '';
    if (char === '\\') at++;
    else if (isQuoted && char !== '"') segment += /[\s;=]/.test(char) ? '_' : char;
    else if (char === '"' && depth === 0) isQuoted = !isQuoted;
    else if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth > 0) continue;
    else if (char === ';') {
      segments.push(segment);
      segment = '';
    } else segment += char;
  }
  return [...segments, segment].map((one) =>
    one
      .toLowerCase()
      .split('=')
      .map((side) => side.trim())
      .join('=')
      .split(/\s/)
      .filter((word) => word !== '')
      .join(' '),
  );
}
