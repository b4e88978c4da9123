/**
 * Simulated frames that a service plays itself. Each logs in, is notified, fetches and reports as hardware does, over the
 * service's own listeners; what hardware keeps in its flash is handed to the service, which hands it in again when it
 * starts again.
 */
import { type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type AnyFrame, honest, type StepFrame } from '../dialects/any-frame.ts';
import { newNativeFrame } from '../dialects/native/native-state.ts';
import { newTrmnlFrame } from '../dialects/trmnl/trmnl-state.ts';
import { newFrame, type SimulatedFrame } from '../frame/frame.ts';
import { runFrame } from './run-frame.ts';

/** The description of the frame to play. */
interface Played {
  readonly serial: string;
  /** Name of its panel. */
  readonly kind: string;
  readonly dialect: 'native' | 'trmnl';
  readonly orientation: Orientation;
  readonly password: string;
  readonly flash: string | null;
}

/** How the service is reached from here, and what frames are given in place of its HTTP address. */
interface Doors {
  readonly mqtt: string;
  readonly http: string;
  readonly told: { readonly publicUrl: string; readonly frameUrl: string };
}

/** The memory of a frame while it sleeps. The picture itself is not kept, for nobody reads its bytes again. */
interface Flash {
  readonly boots: number;
  readonly batteryMv: number;
  readonly sleepSeconds: number;
  readonly fileVersion: number;
  readonly sha256: string | undefined;
  readonly refreshRate: number | undefined;
}

/** A real panel takes half a minute and more. People who try things out should not wait that long. */
const maxDrawSeconds = 6;
/** Below this it is charged: how long a battery lasts is not what people try out here. */
const chargeAtMv = 5600;
const fullMv = 6000;
const firmwareVersion = '1.0.0';
const polledVersion = '1.8.15';

/** Returns the function that switches frames on; they wake at once, and stop when asked to. */
export const framePlayer = (clock: Clock) => async (frame: Played, doors: Doors, keep: (flash: string) => void) => {
  const { serial, password } = frame;
  let kept = frame.flash;
  const changed = (before: AnyFrame, now: AnyFrame): void => {
    const isDone = (now.asleep && !before.asleep) || now.fileVersion !== before.fileVersion;
    const flash = JSON.stringify(flashOf(now));
    if (!isDone || flash === kept) return;
    kept = flash;
    keep(flash);
  };
  const running = runFrame(
    {
      state: stateOf(frame, doors),
      step: spared,
      switchOn: { afterMs: 0, reason: kept === null ? 'button' : 'timer' },
    },
    {
      serial,
      credentials: { kind: 'password', password },
      mqttUrl: doors.mqtt,
      speed: 1,
      reach: (url) => reached(url, doors),
    },
    clock,
    { trace: () => {}, changed },
  );
  return {
    pressButton: () => running.wake(),
    stop: async () => running.stop(),
  };
};

/** Returns the address by which this process reaches the service, for one that frames were given. */
function reached(url: string, { http, told }: Doors): string {
  const base = [told.publicUrl, told.frameUrl].find((one) => url.startsWith(`${one}/`));
  return base === undefined ? url : http + url.slice(base.length);
}

/** The step of an honest frame, whose battery somebody charges. While it sleeps it holds no picture in memory. */
const spared: StepFrame = (state, event) => {
  const isEmpty = event.kind === 'woken' && state.batteryMv < chargeAtMv;
  const next = honest(isEmpty ? { ...state, batteryMv: fullMv } : state, event);
  const { asleep, dialect, picture } = next.state;
  if (!asleep || dialect !== 'native' || picture === undefined) return next;
  return { ...next, state: { ...next.state, ...drawnBefore(picture.sha256) } };
};

/** A picture that is on the glass: nobody reads its bytes again. */
function drawnBefore(sha256: string): Pick<SimulatedFrame, 'picture' | 'glass'> {
  const picture = { file: new Uint8Array(), sha256 };
  return { picture, glass: { shows: 'picture', ...picture } };
}

function stateOf(frame: Played, { told }: Doors): AnyFrame {
  const known = panelOfKind(frame.kind);
  if (known === undefined) throw new Error(`no panel is known for ${frame.serial}`);
  const panel = { ...known, refreshSeconds: Math.min(known.refreshSeconds, maxDrawSeconds) };
  const { serial, orientation } = frame;
  const flash = frame.flash === null ? undefined : (JSON.parse(frame.flash) as Flash);
  const made = newFrame({ serial, panel, orientation, firmware: firmwareVersion, rssi: -52 });
  const state = flash === undefined ? made : restored(made, flash);
  if (frame.dialect === 'native') return newNativeFrame(state);
  const size = { width: panel.width, height: panel.height };
  const identity = { version: polledVersion, baseUrl: `${told.publicUrl}/trmnl`, model: 'og', size } as const;
  return { ...newTrmnlFrame(state, identity), key: frame.password, refreshRate: flash?.refreshRate };
}

const flashOf = (state: AnyFrame): Flash => ({
  boots: state.boots,
  batteryMv: Math.round(state.batteryMv),
  sleepSeconds: state.sleepSeconds,
  fileVersion: state.fileVersion,
  sha256: state.picture?.sha256,
  refreshRate: state.dialect === 'trmnl' ? state.refreshRate : undefined,
});

/** A wake that was broken off was not kept, and counts all the same: a boot counter never goes backwards (T-47). */
function restored(
  made: SimulatedFrame,
  { boots, sha256, batteryMv, fileVersion, sleepSeconds }: Flash,
): SimulatedFrame {
  const state = { ...made, boots: boots + 1, batteryMv, fileVersion, sleepSeconds };
  return sha256 === undefined ? state : { ...state, ...drawnBefore(sha256) };
}
