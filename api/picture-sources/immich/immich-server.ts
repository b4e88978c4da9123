/** An Immich server: its version, what it is asked with, and what its refusals mean. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { parseUrl } from '../../../runtime/read-address.ts';
import {
  askSourceServer,
  faultOfRefusal,
  isGiven,
  jsonOf,
  type SourceAnswer,
  unreadableAnswer,
} from '../ask-source-server.ts';
import { type SourceDeps, SourceFault } from '../source.ts';
import { versionAnswer } from './immich-answers.ts';
import type { ImmichLogin } from './immich-settings.ts';

export type ImmichVersion = z.output<typeof versionAnswer>;

/** The right of an API key that a question needs (IM-1). */
type ImmichRight = 'asset.read' | 'asset.view' | 'asset.statistics' | 'album.read' | 'memory.read' | 'person.read';

/** A question to the server, below `/api`. */
export interface ImmichQuestion {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  readonly right?: ImmichRight;
  readonly accept?: string;
  readonly limitBytes?: number;
}

export interface ImmichServer {
  /** Returns the version, which is asked for once, or again where `isNew`: servers are updated overnight. */
  version(isNew?: boolean): Promise<ImmichVersion>;
  /** Asks; throws for a login or a right that is refused, and for a server that is away. */
  ask(question: ImmichQuestion): Promise<SourceAnswer>;
  /** Asks for JSON, and throws for every refusal. */
  read<Shape extends z.ZodType>(question: ImmichQuestion, shape: Shape): Promise<z.output<Shape>>;
}

/** Returns whether a version is the given one or a later one. */
export function isFrom({ major, minor, patch }: ImmichVersion, ...least: readonly [number, number?, number?]): boolean {
  const [leastMajor, leastMinor = 0, leastPatch = 0] = least;
  if (major !== leastMajor) return major > leastMajor;
  return minor === leastMinor ? patch >= leastPatch : minor > leastMinor;
}

/** Answers name what is wrong in a text or in a list of texts (IM-11). */
const complaint = z.object({ message: z.union([z.string(), z.array(z.unknown())]) });

/** Returns the words of a refusal. */
export function complaintOf({ body }: SourceAnswer): string {
  const message = jsonOf(body, complaint)?.message ?? '';
  return (typeof message === 'string' ? message : message.filter((one) => typeof one === 'string').join(' ')).slice(
    0,
    2_000,
  );
}

/** Returns whether an answer says that nothing bears an id: Immich writes 400 for that, and says as much of what is hidden. */
export const isNotThere = (answer: SourceAnswer): boolean =>
  answer.status === 404 || answer.status === 410 || (answer.status === 400 && /^not found/i.test(complaintOf(answer)));

/** Returns the fault of a refused question. */
function faultOf(answer: SourceAnswer, login: ImmichLogin, right: ImmichRight | undefined): SourceFault {
  const { status } = answer;
  if (isNotThere(answer)) return new SourceFault('gone', reasonOf('album-source-gone', { status }));
  if (status !== 401 && status !== 403) return faultOfRefusal(answer);
  const words = complaintOf(answer);
  if (!('apiKey' in login)) {
    // An expired link and a removed one are answered alike (IM-13).
    if (/invalid share/i.test(words)) return new SourceFault('gone', reasonOf('album-source-link-ended'));
    return new SourceFault('denied', reasonOf('album-source-link-password', { status }));
  }
  const [, named] = /permission:? ?([a-z]{1,40}\.[a-zA-Z]{1,40})/i.exec(words) ?? [];
  const missing = named ?? right;
  if (status === 401 || missing === undefined) return faultOfRefusal(answer);
  return new SourceFault('denied', reasonOf('album-source-right-missing', { right: missing }));
}

/** Returns the part of a shared link that each question carries. */
function linkQuery(login: ImmichLogin): Readonly<Record<string, string>> {
  if ('linkKey' in login) return { key: login.linkKey };
  return 'linkSlug' in login ? { slug: login.linkSlug } : {};
}

/** Returns the address of a question. */
function urlOf(base: string, path: string, query: ImmichQuestion['query'] = {}): URL {
  const url = parseUrl(base + path);
  if (url === undefined) throw new SourceFault('unusable', reasonOf('album-source-not-immich'));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** The version of a server, and the address below which it answers. */
interface Probed {
  readonly version: ImmichVersion;
  readonly base: string;
}

/** Asks for the version, for which nobody has to log in (IM-2). */
async function probe(deps: SourceDeps, base: string): Promise<Probed> {
  for (const path of ['/server/version', '/server-info/version']) {
    const url = urlOf(base, path);
    const answer = await askSourceServer(deps, { url, limitBytes: 64 * 1024 });
    if (answer.status === 404) continue;
    if (!isGiven(answer)) throw faultOfRefusal(answer);
    const version = jsonOf(answer.body, versionAnswer);
    if (version === undefined) break;
    // A house that leads from HTTP to HTTPS would have a question with a body asked without it.
    const { origin, hostname, pathname } = answer.url;
    const isMoved = hostname === url.hostname && pathname.endsWith(path);
    return { version, base: isMoved ? `${origin}${pathname.slice(0, -path.length)}` : base };
  }
  throw new SourceFault('unusable', reasonOf('album-source-not-immich'));
}

/** Opens a shared link with its password before anything else is asked; a key needs nothing of the kind. */
async function enter(deps: SourceDeps, { version, base }: Probed, login: ImmichLogin): Promise<Entry> {
  if ('apiKey' in login) return { secrets: { 'x-api-key': login.apiKey }, query: {} };
  const { password } = login;
  const query = linkQuery(login);
  if (password === undefined) return { secrets: {}, query };
  const inAddress = { secrets: {}, query: { ...query, password } };
  if (!isFrom(version, 2, 6)) return inAddress;
  const answer = await askSourceServer(deps, {
    url: urlOf(base, '/shared-links/login', query),
    method: 'POST',
    json: { password },
  });
  if (answer.status === 404 && !isNotALink(answer)) return inAddress;
  if (!isGiven(answer)) throw faultOf(answer, login, undefined);
  return { secrets: cookieOf(answer), query };
}

/** Opens a server; nothing is asked before the first question. */
export function immichServer(deps: SourceDeps, address: string, login: ImmichLogin): ImmichServer {
  const written = `${address.replace(/\/{1,8}$/, '')}/api`;
  let probing: Promise<Probed> | undefined;
  let entering: Promise<Entry> | undefined;

  function probed(isNew: boolean): Promise<Probed> {
    if (isNew || probing === undefined) probing = probe(deps, written);
    return probing;
  }

  /** Returns where and with what is asked. A server that was away is tried again by the next question. */
  async function ready(): Promise<readonly [Probed, Entry]> {
    try {
      const found = await probed(false);
      entering ??= enter(deps, found, login);
      return [found, await entering];
    } catch (error) {
      [probing, entering] = [undefined, undefined];
      throw error;
    }
  }

  async function ask({ path, query, json, right, accept, limitBytes }: ImmichQuestion): Promise<SourceAnswer> {
    const [{ base }, entry] = await ready();
    const answer = await askSourceServer(deps, {
      url: urlOf(base, path, { ...query, ...entry.query }),
      secrets: entry.secrets,
      ...(json !== undefined && { method: 'POST' as const, json }),
      ...(accept !== undefined && { accept }),
      ...(limitBytes !== undefined && { limitBytes }),
    });
    if (isGiven(answer) || isNotThere(answer) || answer.status === 400) return answer;
    // The cookie of a link ends after a day.
    if (answer.status === 401) entering = undefined;
    throw faultOf(answer, login, right);
  }

  return {
    version: async (isNew = false) => (await probed(isNew)).version,
    ask,
    async read(question, shape) {
      const answer = await ask(question);
      if (!isGiven(answer)) throw faultOf(answer, login, question.right);
      const read = jsonOf(answer.body, shape);
      if (read === undefined) throw unreadableAnswer();
      return read;
    },
  };
}

/** The headers and the part of the address with which a login asks. */
interface Entry {
  readonly secrets: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const isNotALink = (answer: SourceAnswer): boolean => /share|link/i.test(complaintOf(answer));

/** Returns the cookie that an opened link sets (IM-13). */
function cookieOf({ cookies = [] }: SourceAnswer): Readonly<Record<string, string>> {
  const pairs = cookies.flatMap((one) => /^immich_shared_link_token=[\x21-\x3a\x3c-\x7e]{1,4000}/.exec(one)?.[0] ?? []);
  return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
}
