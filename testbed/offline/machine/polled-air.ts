/**
 * The obstacles between a frame that polls and the service, besides the line: its Wi-Fi, its battery, and
 * intermediaries that answer falsely.
 */
import type { AnyFrame } from '../../../simulator/dialects/any-frame.ts';
import { storedSleep } from '../../../simulator/dialects/trmnl/trmnl-state.ts';
import type { FrameIncident, SimulatedEvent } from '../../../simulator/frame/frame.ts';
import type { Chance } from './chance.ts';
import type { FaultRates } from './fault-rates.ts';
import type { VirtualTime } from './virtual-time.ts';

interface AirDeps {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly currentFaults: () => FaultRates;
}

/** The Wi-Fi of a frame, and whether all went well in its present wake. */
export interface PolledAir {
  /** The moment at which its Wi-Fi is back, epoch milliseconds. */
  awayUntil: number;
  /** True once the frame asked what to show before the service had taken what it logged. */
  hidError: boolean;
  /** True once it restarted in such a way that nobody could tell it from a wake by its timer. */
  hidRestart: boolean;
  /** When the frame last asked what to show, epoch milliseconds. */
  lastAskedAt: number;
  /** Notes an event of the frame. */
  sees(event: SimulatedEvent): void;
  losesPower(): void;
  isWithoutPower(): boolean;
  /** True when Wi-Fi was there, every call was answered as it should be, and power lasted, since the frame woke by its timer. */
  isWell(): boolean;
}

/** The air of a frame that has not woken yet. */
export function noAir(): PolledAir {
  let isWell = false;
  let isWithoutPower = false;
  return {
    awayUntil: 0,
    hidError: false,
    hidRestart: false,
    lastAskedAt: 0,
    sees(event) {
      if (event.kind === 'woken') {
        isWell = event.reason === 'timer';
        isWithoutPower = false;
      } else if (event.kind === 'joined') isWell &&= event.isIn;
      else if (event.kind === 'download failed') isWell = false;
      else if (event.kind === 'downloaded') isWell &&= event.complete && (event.status === 200 || event.status === 204);
    },
    losesPower() {
      isWell = false;
      isWithoutPower = true;
    },
    isWithoutPower: () => isWithoutPower,
    isWell: () => isWell,
  };
}

/** Joins the Wi-Fi, which now and then is away for a while; in vain where the frame has none. */
export function joinsWifi({ time, chance, currentFaults }: AirDeps, air: PolledAir, isInVain: boolean): FrameIncident {
  if (isInVain) return { kind: 'joined', isIn: false };
  const { wifiAway, wifiAwayMs } = currentFaults().polled;
  const isAway = time.now() < air.awayUntil;
  if (!isAway && chance.happens(wifiAway, 'Wi-Fi goes away')) air.awayUntil = time.now() + chance.whole(1, wifiAwayMs);
  return { kind: 'joined', isIn: time.now() >= air.awayUntil };
}

/** Something in front of the service that answers in its place; undefined where nothing does. */
export function falseAnswer(
  { chance, currentFaults }: AirDeps,
  part: 'headers' | 'half' | 'whole',
): FrameIncident | undefined {
  if (!chance.happens(currentFaults().polled.answeredFalsely, 'answered falsely')) return undefined;
  const status = chance.pick([200, 302, 404, 500, 502, 503]);
  if (part === 'headers') return { kind: 'probed', status, location: undefined };
  const body = new Uint8Array(Buffer.from('<html>Bad gateway</html>'));
  const facts = { complete: true, lengthKnown: true, partsOffered: false, type: 'text/html' } as const;
  return { kind: 'downloaded', status, body, ...facts };
}

export const brownsOut = ({ chance, currentFaults }: AirDeps): boolean =>
  chance.happens(currentFaults().polled.brownOut, 'battery gives in');

export const losesPowerWhileWriting = ({ chance, currentFaults }: AirDeps): boolean =>
  chance.happens(currentFaults().polled.tornFlash, 'loses power while it writes');

/**
 * Returns the effect of pressing the button: a frame that polls and was without power starts again by whatever gives it
 * power, and reports that.
 */
export function whatPressingIs({ dialect }: AnyFrame, air: PolledAir): 'reset' | 'button' {
  return dialect === 'trmnl' && air.isWithoutPower() ? 'reset' : 'button';
}

/**
 * How long a frame is without power. Firmware that does not report what woke it, and was without power for exactly its
 * sleep, comes back as if by its timer: nobody could tell the difference, so this is not played.
 */
export function modelledAwayMs(frame: AnyFrame, forMs: number): number {
  if (frame.dialect !== 'trmnl' || frame.does.tellsWake) return forMs;
  const sleepMs = storedSleep(frame) * 1000;
  const isAlike = forMs > sleepMs * 0.5 && forMs < sleepMs * 1.5 + 150_000;
  return isAlike ? Math.round(sleepMs * 0.3) : forMs;
}

/**
 * Notes what a frame that asks what to show hides from the service: an error that it has logged and not reported yet,
 * or a restart at about the time at which its sleep would have ended, in firmware that does not report what woke it.
 */
export function noteHidden(frame: AnyFrame, air: PolledAir): void {
  if (frame.dialect === 'offline' && frame.phase.name === 'looking') {
    const last = frame.outcomes.at(-1)?.ended;
    // Somebody pressed its button after a failure that the service did not see: the time may fit by chance.
    if (last === 'error' && frame.wake !== 'timer') air.hidRestart = true;
    else if (last === 'drawn') air.hidRestart = false;
  }
  if (frame.dialect !== 'trmnl' || frame.phase.name !== 'asking') return;
  if (frame.logs.length > 0) air.hidError = true;
  const isRestart = frame.wake === 'reset' && !frame.does.tellsWake;
  if (isRestart && looksLikeSleep(frame.nowMs - air.lastAskedAt, storedSleep(frame) * 1000)) air.hidRestart = true;
  air.lastAskedAt = frame.nowMs;
}

const looksLikeSleep = (ms: number, sleepMs: number): boolean => ms > sleepMs * 0.85 && ms < sleepMs * 1.2 + 150_000;

/** Returns whether a frame may show something else without the service being able to notice. */
export function isBlind(frame: AnyFrame, air: PolledAir, isProxied: boolean): boolean {
  if (frame.dialect === 'offline') return air.hidRestart;
  if (frame.dialect !== 'trmnl') return false;
  return frame.isStuck || air.hidRestart || (isProxied && (frame.does.takesTorn || air.hidError));
}
