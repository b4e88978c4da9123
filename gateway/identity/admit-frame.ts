/** The admission of frames: logins with their limits, and the alerts that follow from them. */

import { Socket } from 'node:net';
import PQueue from 'p-queue';
import type { Cluster } from '../../cluster/cluster.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { FrameRegistry } from '../frames/registry.ts';
import { countForAll, countPerMinute } from './count-per-minute.ts';
import { credentialShown, credentialStands, type FrameCredentials, type Login, logIn } from './frame-login.ts';
import { keepOut } from './keep-out.ts';

/**
 * The most connects of one identity in a minute. A frame in the field that retries as fast as it can connects at a rate
 * of 200 a minute, for 7 s; only two frames that keep disconnecting each other, or a loop, connect faster for long.
 */
export const maxConnects = 300;
/**
 * The most takeovers from other addresses in a minute. One may be a frame that changed its network; more are two
 * frames.
 */
const maxMoves = 2;

/** A frame that connects so often at one node is reported to the others: one that wakes by itself never is. */
const worthTelling = 10;

/** The logins that are checked at once, and those that may wait for it. */
const loginsAtOnce = 4;
const maxLoginsWaiting = 100;
/**
 * The longest wait of a login. A frame hangs up after a second: if all waited that long, each would be checked after
 * its frame had gone, and none would ever get in (B-26).
 */
const maxLoginWaitMs = 300;
/** The number of unrecorded messages beyond which nobody is let in who would send more: some two seconds' worth. */
const maxMessagesWaiting = 500;

export interface AdmissionDeps {
  readonly registry: FrameRegistry;
  readonly clock: Clock;
  readonly protocolViolated: (serial: string | undefined, problem: Reason) => void;
  /** Called when two devices claim one identity. */
  readonly identityConflict: (serial: string, problem: Reason) => void;
  /** Makes the counts of connects and takeovers hold for all nodes together. */
  readonly counters: Cluster['counters'];
}

/** A login that was let in, or the CONNACK code and the reason of its refusal. */
export type Admission =
  | Extract<Login, { ok: true }>
  | {
      readonly ok: false;
      readonly problem: Reason;
      readonly returnCode: 3 | 5;
      /** Whether somebody shows a wrong credential of a frame of this service, which the operator can mend. */
      readonly isOfFrame?: boolean | undefined;
    };

const tooMany: Admission = { ok: false, problem: reasonOf('too-many-at-once'), returnCode: 3 };
const keptOut: Admission = { ok: false, problem: reasonOf('kept-out'), returnCode: 3 };

/** The client of one CONNECT, as far as admission reads it. */
export interface Candidate {
  readonly id: string;
  readonly conn: unknown;
  readonly closed: boolean;
}

export type AdmittingFrames = ReturnType<typeof admission>;

/** Composes the admission of one gateway. */
export function admission(deps: AdmissionDeps) {
  const { registry, clock, protocolViolated, counters } = deps;
  const checking = new PQueue({ concurrency: loginsAtOnce });
  const connects = countForAll(clock, worthTelling, counters('connects'));
  const refusals = countPerMinute(clock);
  const moves = countForAll(clock, 1, counters('moves'));
  const conflicts = countPerMinute(clock);
  const out = keepOut(clock);

  return {
    /**
     * Checks one CONNECT. The refusal of a known frame's certificate is reported once a minute.
     * @param messagesWaiting number of messages that wait to be recorded
     */
    async admit(client: Candidate, credentials: FrameCredentials, messagesWaiting: number): Promise<Admission> {
      // T-64: a client that is kept out is recognised by its credential alone, which costs no query and no place in the
      // queue.
      const shown = out.isEmpty() ? undefined : credentialShown(client.conn, credentials);
      if (shown !== undefined && out.includes(shown)) return keptOut;
      // T-46: after an outage every frame comes at once. CONNACK 3 answers in time, and costs nothing.
      if (checking.size >= maxLoginsWaiting || messagesWaiting >= maxMessagesWaiting) return tooMany;
      const cameAt = clock.now();
      const login = await checking.add(async () => {
        if (client.closed || Math.abs(clock.now() - cameAt) > maxLoginWaitMs) return undefined;
        return logIn(registry, client, credentials, clock.now());
      });
      if (login === undefined) return tooMany;
      if (!login.ok) {
        if (login.owner === undefined) protocolViolated(undefined, login.problem);
        else if (refusals(login.owner) === 1)
          protocolViolated(login.owner, reasonOf('login-refused', { because: login.problem }));
        return { ok: false, problem: login.problem, returnCode: 5, isOfFrame: login.isOfFrame };
      }
      if (out.includes(login.serial)) return keptOut;
      // T-42: a connect is counted only with the right credential, so that nobody else can use up a frame's minute
      // (B-22).
      const times = connects(login.serial);
      if (times <= maxConnects) return login;
      out.begin(login.serial, login.credential);
      protocolViolated(login.serial, reasonOf('reconnects-too-often'));
      return keptOut;
    },

    /** Keeps a frame out for a while that flooded the gateway (T-64). @returns for how long, in milliseconds */
    keepOut: (serial: string, credential: string): number => out.begin(serial, credential),

    /** Resolves true while the credential of a live connection is valid. */
    stands: (serial: string, credential: string): Promise<boolean> =>
      credentialStands(registry, serial, credential, clock.now()),

    /** Called when a session took over another of its identity (T-47). */
    tookOver(serial: string, from: string | undefined, to: string | undefined): void {
      if (from === undefined || to === undefined || from === to) return;
      // What other nodes reported may have passed the limit already; the conflict is reported once a minute.
      if (moves(serial) > maxMoves && conflicts(serial) === 1) {
        deps.identityConflict(serial, reasonOf('addresses-push-out'));
      }
    },
  };
}

/** The remote address of a connection; undefined when it is gone already. */
export function addressOf(connection: unknown): string | undefined {
  return connection instanceof Socket ? connection.remoteAddress : undefined;
}
