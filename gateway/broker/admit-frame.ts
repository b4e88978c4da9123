/** Who comes in, how often, and from where: logins with their limits and the alerts they leave. */
import { Socket } from 'node:net';
import type { FrameRegistry } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { countPerMinute } from './count-per-minute.ts';
import { fewAtATime } from './few-at-a-time.ts';
import { type Credentials, credentialStands, type Login, logIn } from './frame-login.ts';

/**
 * Connects of one identity in a minute. A fielded frame that retries as fast as it can comes 200 times a minute, for
 * 7 s; only two that push each other out, or a loop, come faster for long.
 */
export const mostConnects = 300;
/** One takeover from another address may be a frame that changed its network; this many in a minute are two frames. */
const mostMoves = 2;

/** Logins checked at once, and waiting for it. */
const loginsAtOnce = 4;
const mostLoginsWaiting = 100;
/**
 * How long a login may wait. A frame hangs up after a second: once all wait that long, each would be checked for nobody
 * and none would ever get in (B-26).
 */
const longestLoginWaitMs = 300;
/** Messages waiting to be recorded beyond which nobody is let in who would say more: some two seconds' worth. */
const mostMessagesWaiting = 500;

/** What admission is handed. */
export interface AdmissionEdges {
  readonly registry: FrameRegistry;
  readonly clock: Clock;
  readonly misbehaved: (serial: string | undefined, problem: string) => void;
  /** Two claim one identity. */
  readonly contested: (serial: string, problem: string) => void;
}

/** A login that was let in, or the CONNACK code and the reason that it is answered with. */
export type Admission =
  | Extract<Login, { ok: true }>
  | { readonly ok: false; readonly problem: string; readonly returnCode: 3 | 5 };

const tooMany: Admission = { ok: false, problem: 'too many at once', returnCode: 3 };

/** The client of one CONNECT, as far as admission looks at it. */
export interface Candidate {
  readonly id: string;
  readonly conn: unknown;
  readonly closed: boolean;
}

export type AdmittingFrames = ReturnType<typeof admission>;

/** Composes the admission of one gateway. */
export function admission(edges: AdmissionEdges) {
  const { registry, clock, misbehaved } = edges;
  const checking = fewAtATime(loginsAtOnce);
  const connects = countPerMinute(clock);
  const refusals = countPerMinute(clock);
  const moves = countPerMinute(clock);

  return {
    /**
     * Checks one CONNECT. What it refuses of a known frame's certificate, it says once a minute.
     * @param messagesWaiting how far recording lags behind
     */
    async admit(client: Candidate, credentials: Credentials, messagesWaiting: number): Promise<Admission> {
      // T-46: after an outage everybody comes at once. CONNACK 3 says so in time, and costs nothing.
      if (checking.waiting >= mostLoginsWaiting || messagesWaiting >= mostMessagesWaiting) return tooMany;
      const cameAt = clock.now();
      const login = await checking.pass(async () => {
        if (client.closed || Math.abs(clock.now() - cameAt) > longestLoginWaitMs) return undefined;
        return logIn(registry, client.id, client.conn, credentials, clock.now());
      });
      if (login === undefined) return tooMany;
      if (!login.ok) {
        if (login.owner === undefined) misbehaved(undefined, login.problem);
        else if (refusals(login.owner) === 1) misbehaved(login.owner, `login refused: ${login.problem}`);
        return { ok: false, problem: login.problem, returnCode: 5 };
      }
      // T-42, B-22: counted only with the right credential, so that nobody else can use a frame's minute up.
      const times = connects(login.serial);
      if (times <= mostConnects) return login;
      const problem = 'reconnects too often';
      if (times === mostConnects + 1) misbehaved(login.serial, problem);
      return { ok: false, problem, returnCode: 3 };
    },

    /** Whether the credential of a live connection is still good. */
    stands: (serial: string, credential: string): Promise<boolean> =>
      credentialStands(registry, serial, credential, clock.now()),

    /** T-47: a session took over another of its identity. */
    tookOver(serial: string, from: string | undefined, to: string | undefined): void {
      if (from === undefined || to === undefined || from === to) return;
      if (moves(serial) === mostMoves + 1) edges.contested(serial, 'two addresses push each other out');
    },
  };
}

/** The address a connection comes from, undefined when it is gone already. */
export function addressOf(connection: unknown): string | undefined {
  return connection instanceof Socket ? connection.remoteAddress : undefined;
}
