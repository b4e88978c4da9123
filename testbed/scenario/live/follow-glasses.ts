/** Follows what the service reports of the glasses of a live stage, and compares it with what they show. */
import type { PapergateClient } from '../../../client/papergate.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { FleetMember } from '../../../simulator/fleet/fleet.ts';
import type { ChangingFrame } from '../changing-frame.ts';
import type { Group } from '../scenario.ts';
import type { ScenarioStage, StageListener } from '../stage.ts';

/** Calls the service. */
export type ServiceCall = PapergateClient['call'];

/** A frame on the stage: its state, its controls, and its id in the service. */
export interface HungLive {
  readonly serial: string;
  readonly group: Group;
  readonly changing: ChangingFrame;
  readonly deviceId: string;
  /** The content that it shows, by its id. */
  readonly paper: string;
}

interface GlassDeps {
  readonly call: ServiceCall;
  readonly clock: Clock;
  readonly listener: StageListener;
  readonly frameOf: (serial: string) => FleetMember | undefined;
}

/** The picture that a frame has to show. */
interface Expected {
  readonly number: number;
  /** The content of its glass when the push began. */
  readonly before: string;
  /** Epoch milliseconds; undefined until the service has accepted it. */
  acceptedAt: number | undefined;
}

/** After a frame woke or fell asleep the service is asked, and once more for what it learns a little later. */
const askAfterMs = [5_000, 90_000] as const;
/** So many frames are asked about at once. */
const maxAsked = 100;

/** Begins to follow. */
export function followGlasses({ call, clock, listener, frameOf }: GlassDeps, hung: readonly HungLive[]) {
  const bySerial = new Map(hung.map((one) => [one.serial, one]));
  const expected = new Map<string, Expected>();
  const waiting = new Set<string>();
  let asking: Promise<void> = Promise.resolve();
  let broken: ReturnType<ScenarioStage['brokenPromise']>;

  const shownOn = (serial: string): string => {
    const glass = frameOf(serial)?.state.glass;
    return glass?.shows === 'picture' ? glass.sha256 : (glass?.shows ?? 'nothing');
  };

  async function ask(): Promise<void> {
    const serials = [...waiting].slice(0, maxAsked);
    for (const serial of serials) waiting.delete(serial);
    if (serials.length === 0) return;
    const ids = serials.flatMap((serial) => bySerial.get(serial)?.deviceId ?? []).join();
    // A service that is away is asked at the next wake.
    const seen = await call('GET /devices/overview', { query: { ids } }).catch(() => []);
    for (const { id, glass, why } of seen) {
      const serial = serials.find((one) => bySerial.get(one)?.deviceId === id);
      if (serial !== undefined && why === null && glass !== null) proven(serial, Date.parse(glass.since));
    }
    if (waiting.size > 0) await ask();
  }

  function proven(serial: string, since: number): void {
    const wanted = expected.get(serial);
    // What the frame reported before the push is the picture of another one. Times of wakes are whole seconds.
    if (wanted?.acceptedAt === undefined || since < wanted.acceptedAt - 1_000) return;
    expected.delete(serial);
    const isHonest = bySerial.get(serial)?.changing.isHealthy() === true;
    if (isHonest && shownOn(serial) === wanted.before) {
      broken ??= { rule: 'INV-43', sentence: `${serial} is said to show a push, but its glass never did` };
    }
    listener.synced(serial, wanted.number);
  }

  const askSoon = (serial: string): void => {
    waiting.add(serial);
    asking = asking.then(ask);
  };

  return {
    /** Looks at a frame soon, if it is to show something. */
    look(serial: string): void {
      if (!expected.has(serial)) return;
      for (const afterMs of askAfterMs) clock.after(afterMs, () => expected.has(serial) && askSoon(serial));
    },
    expect(number: number, frames: readonly HungLive[]): void {
      for (const { serial } of frames) {
        expected.set(serial, { number, before: shownOn(serial), acceptedAt: undefined });
      }
    },
    accepted(number: number): void {
      for (const one of expected.values()) if (one.number === number) one.acceptedAt = clock.now();
    },
    /** Asks about all that is still to be shown. */
    async settle(): Promise<void> {
      for (const serial of expected.keys()) askSoon(serial);
      await asking;
    },
    brokenPromise: () => broken,
  };
}
