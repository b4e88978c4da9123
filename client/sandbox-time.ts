/** Moves the time of a sandbox from a program, as `papergate sandbox leap` and `speed` do. */
import { PapergateError, pauseFor } from './send.ts';

/** The time of a sandbox, and how many times faster than the machine's it runs. */
export interface SandboxMoment {
  readonly now: Date;
  readonly speed: number;
}

/** The time of a sandbox that runs. Each call rejects with `PapergateError` where the sandbox refuses it or is away. */
export interface SandboxTime {
  now(): Promise<Date>;
  /** Lets it run so many times faster than the machine's time; 0 lets it stand still. */
  speed(times: number): Promise<SandboxMoment>;
  /**
   * Leaps ahead, and resolves when all that was due on the way has happened.
   * @param progress called each second with the time that is reached, and at the end
   */
  leap(milliseconds: number, progress?: (moment: SandboxMoment) => void): Promise<SandboxMoment>;
}

const progressEveryMs = 1_000;

/**
 * Returns the time of the sandbox at an address, which is not asked yet.
 * @param url `time` of the line that `papergate sandbox` prints when it is ready
 * @throws TypeError for an invalid address
 */
export function sandboxTime(url: string): SandboxTime {
  if (!/^https?:\/\/[^@?#\s]+$/.test(url) || !URL.canParse(url))
    throw new TypeError('url is not the address of a sandbox’s time, such as http://127.0.0.1:41234/time');
  const move = (change: { readonly speed: number } | { readonly leapMs: number }): Promise<SandboxMoment> =>
    ask(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
  return {
    now: async () => (await ask(url, {})).now,
    speed: (times) => move({ speed: times }),
    async leap(milliseconds, progress) {
      const leaping = move({ leapMs: milliseconds });
      if (progress === undefined) return leaping;
      const arrived = new AbortController();
      const watched = watch(url, progress, arrived.signal);
      const moment = await leaping.finally(() => arrived.abort());
      await watched;
      progress(moment);
      return moment;
    },
  };
}

/**
 * Reports the time again and again, until the leap has arrived. Failures meanwhile are left to the leap itself to
 * report.
 */
async function watch(url: string, progress: (moment: SandboxMoment) => void, arrived: AbortSignal): Promise<void> {
  while (!arrived.aborted) {
    const moment = await pauseFor(progressEveryMs, arrived)
      .then(() => ask(url, { signal: arrived }))
      .catch(() => undefined);
    if (moment !== undefined && !arrived.aborted) progress(moment);
  }
}

async function ask(url: string, init: RequestInit): Promise<SandboxMoment> {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw unanswered(url, error);
  });
  const { now, speed, error } = await readAnswer(response);
  const { status } = response;
  if (typeof error === 'string') throw new PapergateError({ status, code: 'bad-request', message: error });
  if (typeof now === 'string' && typeof speed === 'number' && response.ok) return { now: new Date(now), speed };
  const hint = 'give what papergate sandbox prints as time when it is ready';
  throw new PapergateError({ status, code: 'not-sandbox', message: `${url} is not a sandbox’s time`, hint });
}

/** The codes of `fetch` (undici) for an answer that did not come in its time, and for a connection that ended before one. */
const lateCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function unanswered(url: string, error: unknown): PapergateError {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (lateCodes.has(code)) {
    const hint = 'it may still be leaping: ask for its time until it stands, and leave out what takes so long';
    return new PapergateError({ code: 'timeout', message: `The sandbox at ${url} did not answer in time`, hint });
  }
  if (brokenCodes.has(code)) {
    const hint = 'it was stopped meanwhile: look at what it printed, and start it again';
    return new PapergateError({ code: 'unreachable', message: `The sandbox at ${url} ended the connection`, hint });
  }
  const hint = 'papergate sandbox starts one, and prints this address as time';
  return new PapergateError({ code: 'unreachable', message: `No sandbox answers at ${url}`, hint });
}

async function readAnswer(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const answer: unknown = await response.json().catch(() => undefined);
  return typeof answer === 'object' && answer !== null ? { ...answer } : {};
}
