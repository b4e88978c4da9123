/**
 * The one stream of what changed, for every screen of every tab of this browser: the tab that holds a lock has it open
 * and passes it on to the others. Where browsers have no locks (pages over plain HTTP) each tab has its own.
 */
import { signal } from '@preact/signals';
import { streamMessages } from '../../client/event-stream.ts';
import { apiBase } from './base.ts';
import { callApi, fetchApi, Problem } from './call-api.ts';
import { asProblem } from './resource.ts';

/** A change as the stream sends it: `lost`, `many` and `ready` ask for everything again, the last because of other rights. */
export interface LiveChange {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Listener = (change: LiveChange) => void;

/** Whether changes are published as they happen; without a problem while the stream is opened again. */
interface State {
  readonly isLive: boolean;
  readonly problem?: Pick<Problem, 'status' | 'code' | 'message' | 'hint' | 'reasons' | 'retryAfterSeconds'>;
}

/** A message between tabs; an empty one says that the stream is there. */
interface Word {
  readonly ask?: true;
  readonly state?: State;
  readonly change?: LiveChange;
  readonly last?: string | undefined;
}

const listeners = new Set<Listener>();

/** Whether changes are published as they happen. What is shown may be old while they are not. */
export const isLive = signal(false);
/** Since when what is shown may be old, and why; undefined while changes are published, or are about to be. */
export const staleness = signal<{ readonly asOf: number; readonly problem: Problem } | undefined>(undefined);

/** Subscribes to changes until the returned function is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
/** The pace at which everything is read again while changes are not published. */
const pollMs = 30_000;
/** The stream sends something every 20 seconds: after this much silence it is dead, or its tab sleeps. */
const maxSilenceMs = 50_000;

let running: AbortController | undefined;
/** The account of the stream, the id of its last event, and the rights that it last sent. */
let [sharedBy, last, rights] = ['', '', ''];
let heardAt = Date.now();
let freshAt = Date.now();

/**
 * Keeps the account's stream open in one of this browser's tabs.
 * @param takes the stream from a tab that is silent
 */
export function startLive(accountId: string, takes = false): void {
  running?.abort();
  running = new AbortController();
  const { signal: ending } = running;
  const name = `papergate-live ${apiBase} ${accountId}`;
  if (name !== sharedBy) [sharedBy, last, rights] = [name, '', ''];
  heardAt = Date.now();
  watch(ending, () => startLive(accountId, true));
  if (navigator.locks === undefined) {
    void keepOpen(ending, hear);
    return;
  }
  let leads = false;
  const channel = new BroadcastChannel(name);
  ending.addEventListener('abort', () => channel.close());
  const post = (word: Word): void => {
    if (!ending.aborted) channel.postMessage(word);
  };
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.ask === undefined) hear(data);
    else if (leads) post({ state: state() });
  };
  post({ ask: true });
  const lead = (): Promise<void> => {
    leads = true;
    return keepOpen(ending, (word) => {
      hear(word);
      post(word);
    });
  };
  // This rejects when another tab has taken the stream, which passes it on to this one from then on.
  navigator.locks.request(name, takes ? { steal: true } : { signal: ending }, lead).catch(() => {
    if (!ending.aborted) startLive(accountId);
  });
}

/** Closes the stream: the session has ended. */
export function stopLive(): void {
  running?.abort();
  running = undefined;
  isLive.value = false;
  staleness.value = undefined;
}

/** Looks from time to time whether there is a stream, and reads everything again while there is none. */
function watch(ending: AbortSignal, restart: () => void): void {
  const look = (): void => {
    if (!document.hidden && Date.now() - heardAt > maxSilenceMs) restart();
  };
  const timers = [setInterval(look, maxSilenceMs / 5), setInterval(() => void poll(), pollMs)];
  const seen = (): void => {
    look();
    void poll();
  };
  document.addEventListener('visibilitychange', seen, { signal: ending });
  ending.addEventListener('abort', () => timers.forEach(clearInterval));
}

async function poll(): Promise<void> {
  const at = Date.now();
  if (document.hidden || staleness.peek() === undefined) return;
  const isThere = await callApi('GET /sessions/current').then(
    () => true,
    () => false,
  );
  const stale = staleness.peek();
  if (!isThere || stale === undefined) return;
  freshAt = at;
  staleness.value = { ...stale, asOf: at };
  tell({ event: 'lost', data: { lost: true } });
}

/** Opens the stream and keeps it open, with longer pauses while it fails. */
async function keepOpen(ending: AbortSignal, say: (word: Word) => void): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!ending.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(last !== '' && { 'last-event-id': last }) };
      const answer = await fetchApi('GET /changes/stream', { headers, signal: ending });
      say({ state: { isLive: true } });
      pauseMs = firstPauseMs;
      let isFirst = true;
      for await (const { event, data, id } of streamMessages(answer)) {
        const wereRights = rights;
        if (event === 'ready') rights = data;
        // The first message of a stream is not news where it continues an earlier stream with the same rights.
        const isNews = data !== '' && !(isFirst && event === 'ready' && (wereRights === '' || wereRights === rights));
        isFirst = false;
        say(isNews ? { change: { event, data: JSON.parse(data) }, last: id } : { last: id });
      }
      if (!ending.aborted) say({ state: { isLive: false } });
    } catch (error) {
      if (ending.aborted) return;
      const { status, code, message, hint, reasons, retryAfterSeconds } = asProblem(error);
      if (status === 401) return;
      // A stream that breaks off is opened again before anybody is notified.
      const problem = { status, code, message, hint, reasons, retryAfterSeconds };
      say({ state: isLive.peek() ? { isLive: false } : { isLive: false, problem } });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2)));
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }
}

/** Returns the messages for a tab that was just opened. */
function state(): State {
  const problem = staleness.peek()?.problem;
  return problem === undefined
    ? { isLive: isLive.peek() }
    : { isLive: false, problem: { ...problem, message: problem.message } };
}

function hear(word: Word): void {
  if (word.state !== undefined) take(word.state);
  if (word.last !== undefined) last = word.last;
  heardAt = Date.now();
  if (word.change !== undefined) tell(word.change);
}

function take({ isLive: isOpen, problem }: State): void {
  const [wasLive, wasStale] = [isLive.peek(), staleness.peek() !== undefined];
  if (wasLive) freshAt = heardAt;
  isLive.value = isOpen;
  if (isOpen) staleness.value = undefined;
  else if (problem !== undefined) staleness.value = { asOf: freshAt, problem: new Problem(problem.status, problem) };
  // Nobody here received what happened meanwhile.
  if (isOpen && wasStale) tell({ event: 'lost', data: { lost: true } });
}

function tell(change: LiveChange): void {
  for (const listener of listeners) listener(change);
}
