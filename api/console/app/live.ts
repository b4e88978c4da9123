/** The one stream of what changed, for every screen that is open. */
import { signal } from '@preact/signals';
import { fetchApi } from './call-api.ts';

/** A change as the stream tells it: `lost` and `many` ask for everything anew. */
export interface LiveChange {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Listener = (change: LiveChange) => void;

const listeners = new Set<Listener>();

/** Whether the stream is open. What is shown may be old while it is not. */
export const isLive = signal(false);

/** Hears of changes until the returned function is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
let running: AbortController | undefined;

/** Opens the stream and keeps it open, with longer pauses while it fails. */
export async function startLive(): Promise<void> {
  running?.abort();
  const own = new AbortController();
  running = own;
  let [last, pauseMs] = ['', firstPauseMs];
  while (!own.signal.aborted) {
    try {
      const headers = { accept: 'text/event-stream', ...(last !== '' && { 'last-event-id': last }) };
      const answer = await fetchApi('/changes/stream', { headers, signal: own.signal });
      isLive.value = true;
      pauseMs = firstPauseMs;
      for await (const message of messages(answer)) {
        if (message.id !== undefined) last = message.id;
        if (message.data !== '') tell({ event: message.event, data: JSON.parse(message.data) });
      }
    } catch (error) {
      if ((error as { status?: number }).status === 401) break;
    }
    isLive.value = false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.75 + Math.random() / 2)));
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

/** Closes the stream: the session has ended. */
export function stopLive(): void {
  running?.abort();
  running = undefined;
  isLive.value = false;
}

function tell(change: LiveChange): void {
  for (const listener of listeners) listener(change);
}

interface Message {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads the messages of an event stream as the HTML standard describes them. */
async function* messages(answer: Response): AsyncGenerator<Message> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield readMessage(block);
  }
}

function readMessage(block: string): Message {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const named = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field?.[2] ?? '');
  return { event: named('event')[0] ?? 'message', data: named('data').join('\n'), id: named('id')[0] };
}
