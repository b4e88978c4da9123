/**
 * Limits what is accepted from one frame. The packets that a frame needs are accepted at once, further ones slowly.
 * When it sends still more, its connection ends and it is kept out for a while.
 */

import { limits } from '../../firmware-protocol/limits.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import type { AdmittingFrames } from '../identity/admit-frame.ts';
import { countPerMinute } from '../identity/count-per-minute.ts';
import type { Session } from './session.ts';

/** The bytes of a packet for which it counts as one packet more, because a large packet costs more than a small one. */
const countedBytes = 256;
/** The pause after each packet beyond a minute's packets: a hundred of them are accepted in a second. */
const slowMs = 10;
/** The weight of a packet over the limit. A frame that comes back with the next one is kept out after some twenty. */
const refusedWeight = 100;
/** The number of unrecorded messages of one connection beyond which nothing more of it is read. */
const maxUnrecorded = 16;

/** The limits of what a session sends. An undefined session stands for a connection without a login. */
export interface Floods {
  /** True while a session has to wait until some of its messages are recorded. */
  isBusy(session: Session | undefined): boolean;
  /** Called when a session sent a packet over the limit, which ends its connection. */
  refused(session: Session | undefined): void;
  /**
   * Counts packets that are handed on. Returns the pause after them in milliseconds; undefined when the connection has
   * to end.
   */
  weigh(session: Session | undefined, packets: number, bytes: number): number | undefined;
}

/**
 * Creates the limits of one broker (T-64).
 * @param protocolViolated reports each problem of a frame once a minute
 */
export function holdFloods(
  deps: {
    readonly admission: Pick<AdmittingFrames, 'keepOut'>;
    readonly clock: Pick<Clock, 'now'>;
    readonly meter?: FrameMeter | undefined;
  },
  protocolViolated: (serial: string | undefined, problem: Reason) => void,
): Floods {
  const taken = countPerMinute(deps.clock);
  const most = limits.packetsPerMinute;

  function cutOff({ conversation: { serial }, credential }: Session): void {
    const seconds = Math.round(deps.admission.keepOut(serial, credential) / 1000);
    deps.meter?.count('papergate_frame_floods_total', {});
    protocolViolated(serial, reasonOf('floods', { seconds }));
  }

  function count(session: Session, weight: number): number | undefined {
    const sum = taken(session.conversation.serial, weight);
    if (sum <= most) return 0;
    if (sum <= 2 * most) return weight * slowMs;
    cutOff(session);
    return undefined;
  }

  return {
    isBusy: (session) => session !== undefined && session.unrecorded >= maxUnrecorded,
    refused(session) {
      protocolViolated(session?.conversation.serial, reasonOf('packet-over-limit'));
      if (session !== undefined) count(session, refusedWeight);
    },
    // A piece in which no packet begins counts too: it may be one byte of a packet that never ends.
    weigh: (session, packets, bytes) =>
      session === undefined ? 0 : count(session, Math.max(1, packets + Math.floor(bytes / countedBytes))),
  };
}
