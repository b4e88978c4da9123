/** One direction of a connection through a climate: bytes arrive late, in order and no faster than it lets them. */
import type { Clock, Timer } from '../../runtime/clock.ts';
import { type Climate, resendMs } from './climates.ts';

const packetBytes = 1460;
/** TCP gives a connection up after this many losses of one packet in a row. */
const maxLosses = 8;
/** The most bytes in flight; a sender with more has to wait. */
const windowBytes = 65_536;

/** One direction of a connection. */
export interface AirLane {
  /** Sends bytes. */
  send(bytes: Uint8Array): void;
  /** Runs something at the other end once everything sent so far has arrived. */
  afterwards(run: () => void): void;
  isFull(): boolean;
  /** Drops everything in flight. */
  drop(): void;
}

/** The reports of a lane. */
export interface LaneEnds {
  readonly arrived: (bytes: Uint8Array) => void;
  /** A packet was lost too often. */
  readonly lost: () => void;
  /** There is room again. */
  readonly drained: () => void;
}

/** Opens a direction. */
export function airLane(climate: Climate, draw: () => number, clock: Clock, ends: LaneEnds): AirLane {
  const { latencyMs, jitterMs, loss, bytesPerSecond } = climate;
  let underWay: { readonly dueAt: number; readonly bytes: number; readonly run: () => void }[] = [];
  let bytesUnderWay = 0;
  let lastDueAt = 0;
  let sentUntil = 0;
  let timer: Timer | undefined;

  const stallMs = (): number => {
    let losses = 0;
    while (losses < maxLosses && draw() < loss) losses++;
    return losses === maxLosses ? Number.POSITIVE_INFINITY : resendMs * (2 ** losses - 1);
  };
  const add = (bytes: number, afterMs: number, run: () => void): void => {
    const now = clock.now();
    sentUntil = Math.max(now, sentUntil) + (bytesPerSecond === 0 ? 0 : (bytes / bytesPerSecond) * 1000);
    lastDueAt = Math.max(lastDueAt, sentUntil + latencyMs + draw() * jitterMs + afterMs);
    underWay.push({ dueAt: lastDueAt, bytes, run });
    bytesUnderWay += bytes;
    timer ??= clock.after(Math.max(0, lastDueAt - now), arrive);
  };
  const arrive = (): void => {
    const wasFull = bytesUnderWay >= windowBytes;
    const now = clock.now();
    let [first] = underWay;
    while (first !== undefined && first.dueAt <= now) {
      underWay.shift();
      bytesUnderWay -= first.bytes;
      first.run();
      [first] = underWay;
    }
    timer = first && clock.after(first.dueAt - now, arrive);
    if (wasFull && bytesUnderWay < windowBytes) ends.drained();
  };

  return {
    send(bytes) {
      for (let at = 0; at < bytes.length; at += packetBytes) {
        const packet = bytes.subarray(at, at + packetBytes);
        const stalledMs = loss === 0 ? 0 : stallMs();
        if (Number.isFinite(stalledMs)) add(packet.length, stalledMs, () => ends.arrived(packet));
        else return add(0, resendMs * 2 ** maxLosses, ends.lost);
      }
    },
    afterwards: (run) => add(0, 0, run),
    isFull: () => bytesUnderWay >= windowBytes,
    drop() {
      timer?.cancel();
      timer = undefined;
      underWay = [];
      bytesUnderWay = 0;
    },
  };
}
