/** The processes of a host: one for each integration whose handlers are called, a few at once, each ended when it is idle. */
import type { HomeNetworks } from '../../api/outgoing/home-networks.ts';
import type { WayOut } from '../../api/outgoing/way-out.ts';
import { fairShares } from '../../runtime/fair-shares.ts';
import { askForHandler } from './ask-for-handler.ts';
import { type HandlerAnswer, type HandlerCall, type HandlerProcess, startHandlerProcess } from './handler-process.ts';

/** The bounds of handlers. */
export interface HandlerLimits {
  /** The time for one call, milliseconds. The process of one that takes longer is ended, with all of its calls. */
  readonly callMs: number;
  readonly heapMib: number;
  readonly memoryMib: number;
  /** The time for which a process is kept after its last call, milliseconds. */
  readonly idleMs: number;
}

/** The usual bounds: a page waits half a minute for its data. */
export const defaultHandlerLimits: HandlerLimits = { callMs: 30_000, heapMib: 128, memoryMib: 384, idleMs: 120_000 };

export interface HandlerPoolDeps {
  /** The folder of the checkout: a real path. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly wayOut: WayOut;
  readonly home: HomeNetworks;
  readonly limits: HandlerLimits;
}

/** The processes. */
export interface HandlerPool {
  /** Calls a handler of an integration when its turn comes; `signal` takes back one that still waits. */
  call(slug: string, folder: string, call: HandlerCall, signal: AbortSignal): Promise<HandlerAnswer>;
  /** Returns how many processes run. */
  running(): number;
  stop(): void;
}

/** The most calls at once, in all and of one integration; and so the most processes that work. */
const calls = { atOnce: 8, ofOne: 4 } as const;

interface Kept {
  readonly process: HandlerProcess;
  users: number;
  usedAt: number;
  idle?: NodeJS.Timeout;
}

/** Opens the processes; each is started by the first call of its integration. */
export function openHandlerPool({ root, env, wayOut, home, limits }: HandlerPoolDeps): HandlerPool {
  const places = fairShares(calls);
  const kept = new Map<string, Kept>();
  let uses = 0;

  function end(slug: string): void {
    const one = kept.get(slug);
    clearTimeout(one?.idle);
    kept.delete(slug);
    one?.process.end();
  }

  function processOf(slug: string, folder: string): Kept {
    const known = kept.get(slug);
    if (known !== undefined && !known.process.isGone()) return known;
    end(slug);
    // As many work as there are places at most: one that is idle makes way.
    const idle = [...kept].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (kept.size >= calls.atOnce && idle[0] !== undefined) end(idle[0][0]);
    const started = startHandlerProcess({
      folder,
      root,
      env,
      heapMib: limits.heapMib,
      memoryMib: limits.memoryMib,
      callMs: limits.callMs,
      ask: (ask, body, signal) => askForHandler({ wayOut, home, askMs: limits.callMs }, slug, { ask, body, signal }),
    });
    const one: Kept = { process: started, users: 0, usedAt: uses++ };
    kept.set(slug, one);
    return one;
  }

  return {
    call: (slug, folder, call, signal) =>
      places.run(
        [slug],
        async () => {
          const one = processOf(slug, folder);
          clearTimeout(one.idle);
          one.users++;
          one.usedAt = uses++;
          try {
            return await one.process.call(call);
          } finally {
            one.users--;
            if (one.users === 0)
              one.idle = setTimeout(() => kept.get(slug) === one && end(slug), limits.idleMs).unref();
          }
        },
        signal,
      ),
    running: () => [...kept.values()].filter(({ process }) => !process.isGone()).length,
    stop: () => {
      for (const slug of [...kept.keys()]) end(slug);
    },
  };
}
