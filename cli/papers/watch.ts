/** `papergate watch`: events of frames and deliveries while they happen, over HTTP. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerOf } from '../../client/calls.ts';
import { refuse } from '../../reasons/refusals.ts';
import { eventInWords } from '../devices/device-history.ts';
import {
  type ClientCredentials,
  callApi,
  credentialsFromEnvironment,
  pathSegment,
  Refused,
  Unreachable,
} from '../ground/client.ts';
import { printFailure, printJson, printLine, printWarning, shortName, shortTime } from '../ground/print.ts';
import { wholeNumberOption } from '../ground/usage.ts';

/** The options of `watch`, as commander gives them. */
export interface WatchCommand {
  interval: string;
  untilSynced?: string;
  timeout: string;
  json?: boolean;
}

type Change = AnswerOf<'GET /changes/'>['changes'][number];

/** The number of remembered changes, because answers overlap. */
const maxRemembered = 10_000;
/**
 * The number of looks between two checks of a paper's frames when nothing seems to happen: papers may owe no receipts.
 */
const looksBetweenChecks = 5;
/** The number of a paper's frames that are asked about in one look; the general API takes 300 requests a minute. */
const maxAsked = 20;

/**
 * Follows events until Ctrl-C, or until every frame that shows a paper is proven to show its newest content.
 * @throws Refused when they are not in time
 */
export async function watch(options: WatchCommand): Promise<void> {
  const intervalMs = wholeNumberOption('--interval', options.interval, 1, 3600) * 1000;
  const timeoutMs = wholeNumberOption('--timeout', options.timeout, 1, 604_800) * 1000;
  const paper = options.untilSynced === undefined ? undefined : pathSegment(options.untilSynced);
  const credentials = credentialsFromEnvironment();
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // Nobody reads on; a caller who waits for a paper still wants the exit code.
  if (paper === undefined) process.stdout.once('error', () => stop.abort());
  const deadline = Date.now() + timeoutMs;
  const print = options.json === true ? printJson : printChange;
  const follow = follower(credentials);
  const settled = new Set<string>();
  for (let looks = 0; !stop.signal.aborted; looks++) {
    const changes = await patiently(follow, looks === 0);
    if (looks === 0) printWarning(`watching ${credentials.url}; Ctrl-C ends it`);
    changes?.forEach(print);
    // The paper has newer content, so proofs of the content before no longer count.
    if (changes?.some(({ payload }) => payload.paper === paper && payload.state !== 'synced')) settled.clear();
    if (paper !== undefined && ((changes ?? []).length > 0 || looks % looksBetweenChecks === 0)) {
      const waiting = await patiently(() => framesWaiting(credentials, paper, settled), looks === 0);
      if (waiting?.length === 0) {
        // The proof may have come after the changes that were printed.
        (await patiently(follow, false))?.forEach(print);
        printWarning(`Paper ${paper} is synced: every frame that shows it proves its newest content`);
        return;
      }
      if (Date.now() > deadline) throw notInTime(paper, waiting ?? []);
    }
    await pause(intervalMs, undefined, { signal: stop.signal }).catch(() => {});
  }
}

/** Returns a function whose calls give the changes since the one before. */
function follower(credentials: ClientCredentials): () => Promise<Change[]> {
  const known = new Set<string>();
  let after: string | undefined;
  return async () => {
    const news: Change[] = [];
    for (let hasMore = true; hasMore; ) {
      const answer: AnswerOf<'GET /changes/'> = await callApi(credentials, 'GET /changes/', { query: { after } });
      const unknown = answer.changes.filter(({ id }) => !known.has(id));
      for (const { id } of unknown) known.add(id);
      news.push(...unknown);
      // An answer that goes on from where it was asked would only repeat itself.
      hasMore = answer.hasMore && answer.next !== after;
      after = answer.next;
    }
    for (const id of known) {
      if (known.size <= maxRemembered) break;
      known.delete(id);
    }
    return news;
  };
}

/** Tries on while the service restarts, or asks for patience; only the first look has to succeed. */
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
 * Describes what keeps frames of a paper from being proven to show it; empty when nothing does.
 * @param settled devices that were found to show it: they are not asked again
 * @throws Refusal `not-found` when no frame shows the paper
 */
async function framesWaiting(credentials: ClientCredentials, paper: string, settled: Set<string>): Promise<string[]> {
  const devices = await callApi(credentials, 'GET /devices/');
  const showing = devices.filter((device) => device.paper === paper);
  if (showing.length === 0) {
    throw refuse('not-found', { message: `No frame shows paper ${paper}`, hint: 'papergate devices list' });
  }
  const open = showing.filter(({ id }) => !settled.has(id));
  const waiting: string[] = [];
  for (const { id, name } of open.slice(0, maxAsked)) {
    const { missing } = await callApi(credentials, 'GET /devices/why/{deviceId}', { path: { deviceId: id } });
    if (missing.length === 0) settled.add(id);
    else waiting.push(`${shortName(name)}: ${missing.join(', ')}`);
  }
  return open.length > maxAsked ? [...waiting, `${open.length - maxAsked} more`] : waiting;
}

function notInTime(paper: string, waiting: readonly string[]): Refused {
  return new Refused(0, `Paper ${paper} is not synced on every frame`, waiting.join('; ') || undefined);
}

function printChange({ at, name, type, payload }: Change): void {
  printLine(`${shortTime(at)}  ${shortName(name)}  ${type}  ${eventInWords(payload)}`);
}
