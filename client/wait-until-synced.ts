/** Waits until a picture is proven to be on the glass. */
import type { AnsweredCall } from './calls.ts';
import type { StreamedChange } from './changes.ts';
import type { Schemas } from './contract.ts';
import { mayPass, PapergateError, pauseFor } from './send.ts';

/** A paper, as calls answer it; as the answer to an upload, which tells that picture apart from a later one. */
export interface AwaitedPaper {
  readonly id: string;
  readonly imageUpdatedAt?: string | undefined;
  readonly reason?: string | undefined;
}

/** How long to wait. Frames sleep for minutes or hours; without either it waits for ever. */
export interface WaitOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Service {
  readonly call: AnsweredCall;
  readonly changes: (signal: AbortSignal) => AsyncIterable<StreamedChange>;
}

type Frame = Schemas['DeviceOverview'];

/**
 * The pauses between two looks while changes arrive, and while none do: not everything is published, such as a time
 * that is up.
 */
const [leastPauseMs, longestPauseMs] = [1_000, 30_000];

/**
 * Waits until every frame that shows the paper is proven to show its newest picture, and returns these frames.
 * @throws PapergateError `overtaken` when another picture took the place of the one that was sent, `no-frame` when no
 * frame shows the paper, `waits-for-time` for a picture that is shown at a time, `not-synced` when it is not in time,
 * and what a call throws; the signal's reason once it is aborted
 */
export async function waitUntilSynced(
  service: Service,
  paper: AwaitedPaper,
  { timeoutMs, signal }: WaitOptions,
): Promise<readonly Frame[]> {
  if (paper.reason === 'upload-waits') {
    throw new PapergateError({
      code: 'waits-for-time',
      message: 'The picture is shown at its time: GET /timed-pictures/',
    });
  }
  const end = new AbortController();
  const given = [end.signal, signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
  const ending = AbortSignal.any(given.filter((one) => one !== undefined));
  const news = listen(service, paper, ending);
  let waiting: readonly Frame[] = [];
  try {
    for (;;) {
      const frames = await look(service, paper, ending);
      waiting = frames?.filter(({ why }) => why !== null) ?? waiting;
      if (frames !== undefined && waiting.length === 0) return frames;
      await pauseFor(leastPauseMs, ending);
      await news.next(waiting);
    }
  } catch (error) {
    if (signal?.aborted || !ending.aborted) throw error;
    const message = `Paper ${paper.id} is not proven on every frame within ${(timeoutMs ?? 0) / 1000} s`;
    const missing = waiting.map(({ name, why }) => `${name}: ${why?.reason ?? why?.code}`);
    throw new PapergateError({ code: 'not-synced', message, hint: missing.join('; ') || undefined });
  } finally {
    end.abort();
  }
}

/** Reads the frames that show the paper; undefined while the service cannot answer. */
async function look(
  { call }: Service,
  paper: AwaitedPaper,
  signal: AbortSignal,
): Promise<readonly Frame[] | undefined> {
  try {
    const { organization } = await call('GET /papers/{paperId}', { path: { paperId: paper.id }, signal });
    const devices = await call('GET /devices/overview', { query: { organization }, signal });
    // Read last: a picture that is still the newest one then was so while the frames were looked at.
    const { kind, imageUpdatedAt } = await call('GET /papers/{paperId}', { path: { paperId: paper.id }, signal });
    if (kind === 'image' && (paper.imageUpdatedAt ?? imageUpdatedAt) !== imageUpdatedAt) {
      throw new PapergateError({ code: 'overtaken', message: `Another picture was sent to paper ${paper.id} since` });
    }
    const showing = devices.filter((device) => device.paper?.id === paper.id);
    if (showing.length > 0) return showing;
    const hint = 'POST /devices/{deviceId} with {"paper":"…"} selects it for a device';
    throw new PapergateError({ code: 'no-frame', message: `No frame shows paper ${paper.id}`, hint });
  } catch (error) {
    if (error instanceof PapergateError && mayPass(error)) return undefined;
    throw error;
  }
}

/** Hears of changes. Without a stream the looks at their longest pause go on. */
function listen(
  { changes }: Service,
  paper: AwaitedPaper,
  ending: AbortSignal,
): { next(waiting: readonly Frame[]): Promise<void> } {
  let heard: StreamedChange[] = [];
  let tell = (): void => undefined;
  const hear = async (): Promise<void> => {
    for await (const change of changes(ending)) {
      heard.push(change);
      tell();
    }
  };
  hear().catch(() => {});
  return {
    /** Returns once something happened that may be the proof, or after the longest pause. */
    async next(waiting) {
      const pausing = new AbortController();
      const wake = (): void => {
        if (heard.some((change) => concerns(change, paper, waiting))) pausing.abort();
        heard = [];
      };
      tell = wake;
      wake();
      await pauseFor(longestPauseMs, AbortSignal.any([pausing.signal, ending])).catch(() => ending.throwIfAborted());
      tell = () => undefined;
    },
  };
}

/** Returns whether a change may be the proof: at a frame that is waited for, at the paper, or at an unknown place. */
function concerns({ data }: StreamedChange, paper: AwaitedPaper, waiting: readonly Frame[]): boolean {
  if ('deviceId' in data) return waiting.some(({ id }) => id === data.deviceId);
  if ('area' in data) return false;
  return !('recordId' in data) || data.record === 'device' || data.recordId === paper.id;
}
