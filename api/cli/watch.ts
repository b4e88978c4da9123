/** `papergate watch`: what happens to frames and deliveries while it happens, over HTTP. */
import { setTimeout as pause } from 'node:timers/promises';
import { refuse } from '../../gateway/runtime/refusals.ts';
import type { ChangesShown } from '../devices/changes-route.ts';
import type { DeviceListed } from '../devices/show-device.ts';
import type { WhyShown } from '../devices/why-route.ts';
import {
  type ClientCredentials,
  callApi,
  credentialsFromEnvironment,
  pathSegment,
  Refused,
  Unreachable,
} from './client.ts';
import { inWords } from './device-history.ts';
import { printFailure, printJson, printLine, printWarning, shortName, shortTime } from './print.ts';
import { wholeNumber } from './usage.ts';

/** What `watch` takes, as commander gives it. */
export interface WatchCommand {
  interval: string;
  untilSynced?: string;
  timeout: string;
  json?: boolean;
}

type Change = ChangesShown['changes'][number];

/** Changes remembered, because answers overlap. */
const mostRemembered = 10_000;
/** Looks between two checks of a paper's frames when nothing seems to happen: papers may owe no receipts. */
const looksBetweenChecks = 5;
/** Frames of a paper asked about in one look; the general API takes 300 requests a minute. */
const mostAsked = 20;

/**
 * Follows what happens until Ctrl-C, or until every frame that shows a paper is proven to show its newest content.
 * @throws Refused when they are not in time
 */
export async function watch(options: WatchCommand): Promise<void> {
  const intervalMs = wholeNumber('--interval', options.interval, 1, 3600) * 1000;
  const timeoutMs = wholeNumber('--timeout', options.timeout, 1, 604_800) * 1000;
  const paper = options.untilSynced === undefined ? undefined : pathSegment(options.untilSynced);
  const credentials = credentialsFromEnvironment();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // Nobody reads on; who waits for a paper still wants the exit code.
  if (paper === undefined) process.stdout.once('error', () => stop.abort());
  const deadline = Date.now() + timeoutMs;
  const print = options.json === true ? printJson : printChange;
  const follow = follower(credentials);
  const settled = new Set<string>();
  for (let looks = 0; !stop.signal.aborted; looks++) {
    const changes = await patiently(follow, looks === 0);
    if (looks === 0) printWarning(`watching ${credentials.url}; Ctrl-C ends it`);
    changes?.forEach(print);
    // Newer content of the paper: what was proven of the content before it counts no more.
    if (changes?.some(({ payload }) => payload.paper === paper && payload.state !== 'synced')) settled.clear();
    if (paper !== undefined && ((changes ?? []).length > 0 || looks % looksBetweenChecks === 0)) {
      const waiting = await patiently(() => framesWaiting(credentials, paper, settled), looks === 0);
      if (waiting?.length === 0) return;
      if (Date.now() > deadline) throw notInTime(paper, waiting ?? []);
    }
    await pause(intervalMs, undefined, { signal: stop.signal }).catch(() => {});
  }
}

/** Each call gives what has changed since the one before. */
function follower(credentials: ClientCredentials): () => Promise<Change[]> {
  const known = new Set<string>();
  let after: string | undefined;
  return async () => {
    const news: Change[] = [];
    for (let hasMore = true; hasMore; ) {
      const query = after === undefined ? '' : `?${new URLSearchParams({ after })}`;
      const answer = await callApi<ChangesShown>(credentials, 'GET', `/changes/${query}`);
      const unknown = answer.changes.filter(({ id }) => !known.has(id));
      for (const { id } of unknown) known.add(id);
      news.push(...unknown);
      // One that goes on from where it was asked would only come again.
      hasMore = answer.hasMore && answer.next !== after;
      after = answer.next;
    }
    for (const id of known) {
      if (known.size <= mostRemembered) break;
      known.delete(id);
    }
    return news;
  };
}

/** The service may restart, or ask for patience, while it is watched; only the first look has to succeed. */
async function patiently<Answer>(ask: () => Promise<Answer>, isFirst: boolean): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    const passes = error instanceof Unreachable || (error instanceof Refused && [429, 503].includes(error.status));
    if (isFirst || !passes) throw error;
    printFailure(error);
    return undefined;
  }
}

/**
 * What keeps frames of a paper from being proven to show it; empty when nothing does.
 * @param settled devices that were found to show it: they are not asked again
 * @throws Refusal `not-found` when no frame shows the paper
 */
async function framesWaiting(credentials: ClientCredentials, paper: string, settled: Set<string>): Promise<string[]> {
  const devices = await callApi<DeviceListed[]>(credentials, 'GET', '/devices/');
  const showing = devices.filter((device) => device.paper === paper);
  if (showing.length === 0) {
    throw refuse('not-found', { message: `No frame shows paper ${paper}`, hint: 'papergate devices list' });
  }
  const open = showing.filter(({ id }) => !settled.has(id));
  const waiting: string[] = [];
  for (const { id, name } of open.slice(0, mostAsked)) {
    const { missing } = await callApi<WhyShown>(credentials, 'GET', `/devices/why/${id}`);
    if (missing.length === 0) settled.add(id);
    else waiting.push(`${shortName(name)}: ${missing.join(', ')}`);
  }
  return open.length > mostAsked ? [...waiting, `${open.length - mostAsked} more`] : waiting;
}

function notInTime(paper: string, waiting: readonly string[]): Refused {
  return new Refused(0, `Paper ${paper} is not synced on every frame`, waiting.join('; ') || undefined);
}

function printChange({ at, name, type, payload }: Change): void {
  printLine(`${shortTime(at)}  ${shortName(name)}  ${type}  ${inWords(payload)}`);
}
