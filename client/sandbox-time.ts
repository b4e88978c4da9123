/** Moves the time of a sandbox from a program, as `papergate sandbox leap` and `speed` do. */
import { PapergateError } from './send.ts';

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
  /** Leaps ahead, and resolves when all that was due on the way has happened. */
  leap(milliseconds: number): Promise<SandboxMoment>;
}

/** Longer leaps are made day by day, so that no answer is waited for so long that the connection is given up. */
const maxLeapMs = 86_400_000;

/**
 * Returns the time of the sandbox at an address, which is not asked yet.
 * @param url `time` of the line that `papergate sandbox` prints when it is ready
 * @throws TypeError for what is no address
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
    async leap(milliseconds) {
      let left = milliseconds;
      for (; left > maxLeapMs; left -= maxLeapMs) await move({ leapMs: maxLeapMs });
      return move({ leapMs: left });
    },
  };
}

async function ask(url: string, init: RequestInit): Promise<SandboxMoment> {
  const response = await fetch(url, init).catch(() => {
    const hint = 'papergate sandbox starts one, and prints this address as time';
    throw new PapergateError({ code: 'unreachable', message: `No sandbox answers at ${url}`, hint });
  });
  const { now, speed, error } = await readAnswer(response);
  const { status } = response;
  if (typeof error === 'string') throw new PapergateError({ status, code: 'bad-request', message: error });
  if (typeof now === 'string' && typeof speed === 'number' && response.ok) return { now: new Date(now), speed };
  const hint = 'give what papergate sandbox prints as time when it is ready';
  throw new PapergateError({ status, code: 'not-sandbox', message: `${url} is no sandbox’s time`, hint });
}

async function readAnswer(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const answer: unknown = await response.json().catch(() => undefined);
  return typeof answer === 'object' && answer !== null ? { ...answer } : {};
}
