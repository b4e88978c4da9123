/** Requests that handlers make, made for them: every address is checked, redirects among them. */
import type { HomeNetworks } from '../../api/outgoing/home-networks.ts';
import { type RequestOutcome, requestOnce } from '../../api/outgoing/request-once.ts';
import type { WayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { type HandlerAsk, handlerBounds } from './handlers/handler-messages.ts';

export interface AskDeps {
  readonly wayOut: WayOut;
  /** The places of the home network that handlers may ask. */
  readonly home: HomeNetworks;
  /** The time for one request, milliseconds. */
  readonly askMs: number;
}

/** The answer to a handler's request, or why there is none. */
export type AnswerToHandler =
  | {
      readonly status: number;
      readonly url: string;
      readonly redirected: boolean;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: Buffer;
    }
  | { readonly failed: string };

const maxRedirects = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];
/** Headers that hold logins: they stay with the origin that they were given for. */
const ownHeaders: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];
/** Headers that the connection itself writes. */
const connectionHeaders: readonly string[] = [
  ...['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'content-length', 'expect', 'te'],
  ...['accept-encoding', 'trailer'],
];
/** Headers that are no longer true of a body that was unpacked. */
const packedHeaders: readonly string[] = ['content-encoding', 'content-length', 'transfer-encoding', 'connection'];

/** One step on the way of a request. */
interface Step {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Whether it may lead into the house: from outside no redirect does. */
  readonly isInside: boolean;
}

/** Makes a request of a handler. Never throws. */
export async function askForHandler(
  deps: AskDeps,
  slug: string,
  { ask, body, signal }: { readonly ask: HandlerAsk; readonly body: Buffer; readonly signal: AbortSignal },
): Promise<AnswerToHandler> {
  const url = parseUrl(ask.url);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return { failed: 'only http and https are asked' };
  const headers = Object.fromEntries(ask.headers.filter(([name]) => !connectionHeaders.includes(name)));
  let step: Step = { url, method: ask.method, headers, isInside: true, body: body.length > 0 ? body : undefined };
  for (let steps = 0; steps <= maxRedirects; steps++) {
    const { outcome, wasHome } = await takeStep(deps, slug, step, signal);
    if (outcome.kind === 'problem') return { failed: `${step.url.host}: ${wordsOf(outcome.problem)}` };
    const isRedirect = redirects.includes(outcome.status) && outcome.location !== undefined;
    if (!isRedirect || ask.redirect === 'manual') return answerOf(outcome, step.url, steps > 0);
    if (ask.redirect === 'error') return { failed: `${step.url.host}: a redirect` };
    const next = parseUrl(outcome.location ?? '', step.url.href);
    if (next === undefined || !/^https?:$/.test(next.protocol)) return { failed: 'a redirect to no address' };
    if (step.url.protocol === 'https:' && next.protocol === 'http:') return { failed: 'a redirect from https to http' };
    step = stepAfter(step, { next, status: outcome.status, wasHome });
  }
  return { failed: `more than ${maxRedirects} redirects` };
}

async function takeStep(deps: AskDeps, slug: string, step: Step, signal: AbortSignal) {
  const watch = deps.home.watch(step.isInside ? 'handlers' : 'redirected');
  const outcome = await requestOnce(deps.wayOut, {
    sharer: [slug],
    url: step.url.href,
    method: step.method,
    headers: step.headers,
    ...(step.body !== undefined && { body: step.body }),
    allowLoopback: false,
    allowPlain: true,
    rule: watch.rule,
    timeoutMs: deps.askMs,
    readLimitBytes: handlerBounds.bytes,
    wantsHeaders: true,
    signal,
  });
  return { outcome, wasHome: watch.isHome() };
}

/** Returns the step that a redirect leads to. */
function stepAfter(
  { url, method, headers, body, isInside }: Step,
  { next, status, wasHome }: { readonly next: URL; readonly status: number; readonly wasHome: boolean },
): Step {
  const isOwn = next.origin === url.origin;
  const keepsMethod = status >= 307 || method === 'GET' || method === 'HEAD';
  const dropped = [...(isOwn ? [] : ownHeaders), ...(keepsMethod ? [] : ['content-type'])];
  return {
    url: next,
    method: keepsMethod ? method : 'GET',
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name))),
    // A body may hold a secret as headers do.
    body: keepsMethod && isOwn ? body : undefined,
    isInside: isInside && wasHome,
  };
}

function answerOf(
  { status, headers = [], body }: Extract<RequestOutcome, { kind: 'answer' }>,
  url: URL,
  redirected: boolean,
): AnswerToHandler {
  const kept = headers.filter(([name]) => !packedHeaders.includes(name));
  return { status, url: url.href, redirected, headers: kept, body };
}
