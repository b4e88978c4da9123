/** The fielded frame: one step of its wake cycle (frame wire sections 6, 7, 9 and 11). */
import { classicTopics } from '../firmware-protocol/topics.ts';
import { deactivated, hear, mostReports, unanswered } from './classic-answer.ts';
import { askForFirmware, flash, takeManifest } from './classic-firmware.ts';
import { download, finishDrawing, nextRound, takeBody } from './classic-picture.ts';
import {
  type ClassicPhase,
  type ClassicState,
  type ClassicStep,
  connectTo,
  freshCycle,
  type TalkingPhase,
  talk,
  updateState,
  vanish,
} from './classic-state.ts';
import { defaultSleepSeconds, type FrameEvent, failsafeMs, only, passTime, trace, woken } from './frame.ts';

const emptyBatteryMv = 4200;
const emptyBatterySleepSeconds = 86_000;
const mostConnects = { cycle: 21, saying: 5 } as const;
const reconnectMs = { cycle: 300, saying: 1000 } as const;
const mostDeactivations = 5;
const mostRequests = 5;

/** One step of a classic frame. */
export function stepClassic(before: ClassicState, event: FrameEvent): ClassicStep {
  const state = passTime(before, event);
  const { phase } = state;
  switch (event.kind) {
    case 'woken':
      return wake(woken(state, event.reason));
    case 'connected':
      return only(state, {
        do: 'subscribe',
        topics: [classicTopics.receive(state.serial)],
        qos: 0,
        subackMs: 1000,
      });
    case 'subscribed':
      return phase.name === 'connecting' ? talk(state, phase.next) : only(state);
    case 'link lost':
      return lose(state, event.why);
    case 'message':
      return hear(state, event.topic, event.payload);
    case 'timer':
      return ring(state, event.name);
    case 'probed':
      return phase.name === 'probing' ? download(state, phase, event) : only(state);
    case 'downloaded':
      if (phase.name === 'downloading') return takeBody(state, phase, event);
      return phase.name === 'probing' ? only(state) : firmware(state, event);
    case 'download failed':
      return phase.name === 'probing' || phase.name === 'downloading'
        ? nextRound(state, phase, event.why)
        : firmware(state, event);
    case 'drawn':
      return phase.name === 'drawing' ? finishDrawing(state, phase.plan, phase.draws, event.turned) : only(state);
  }
}

function firmware(
  state: ClassicState,
  event: Extract<FrameEvent, { kind: 'downloaded' | 'download failed' }>,
): ClassicStep {
  const { phase } = state;
  if (phase.name === 'asking for firmware') return takeManifest(state, phase.next, event);
  return phase.name === 'flashing' ? flash(state, phase.next, phase.version, event) : only(state);
}

function wake(state: ClassicState): ClassicStep {
  const fresh = { ...state, cycle: freshCycle };
  const woke = trace('woke', { reason: state.wake, batteryMv: Math.round(state.batteryMv) });
  if (state.batteryMv < emptyBatteryMv) return vanish(fresh, emptyBatterySleepSeconds, woke);
  const first: TalkingPhase = state.freshWifi
    ? { name: 'deactivating', tries: 1, next: 'report' }
    : { name: 'reporting', tries: 1 };
  return askForFirmware(fresh, first, woke, { do: 'timer', name: 'failsafe', afterMs: failsafeMs });
}

/** Tries again; what the frame was saying is said anew on the next connection. */
function lose(state: ClassicState, why: string): ClassicStep {
  const { phase } = state;
  const lost = trace('link lost', { why });
  if (phase.name === 'connecting') {
    const kind = phase.next.name === 'saying' ? 'saying' : 'cycle';
    if (phase.attempt < mostConnects[kind]) {
      const again = { ...phase, attempt: phase.attempt + 1 };
      return only({ ...state, phase: again }, lost, { do: 'timer', name: 'reconnect', afterMs: reconnectMs[kind] });
    }
    // section 7: without a broker the boot default counts, not what is stored
    return vanish(state, kind === 'saying' ? state.cycle.sleepSeconds : defaultSleepSeconds, lost);
  }
  const resumed = resumedPhase(phase);
  return resumed === undefined ? only(state, lost) : connectTo(state, resumed, lost);
}

function resumedPhase(phase: ClassicPhase): TalkingPhase | undefined {
  if (phase.name === 'awaiting url') return { name: 'requesting', tries: 1 };
  if (phase.name === 'reporting') return { name: 'reporting', tries: Math.min(phase.tries + 1, mostReports) };
  return phase.name === 'deactivating' || phase.name === 'requesting' ? phase : undefined;
}

function ring(state: ClassicState, name: string): ClassicStep {
  const { phase } = state;
  if (name === 'failsafe') {
    return vanish(state, state.activated ? state.cycle.sleepSeconds : 'until button', trace('failsafe'));
  }
  if (phase.name === 'connecting')
    return name === 'reconnect' ? only(state, { do: 'connect', connackMs: 1000 }) : only(state);
  if (name !== 'answer') return only(state);
  switch (phase.name) {
    case 'deactivating':
      return phase.tries < mostDeactivations
        ? talk(state, { ...phase, tries: phase.tries + 1 })
        : deactivated(state, phase.next);
    case 'reporting':
      return phase.tries < mostReports ? talk(state, { name: 'reporting', tries: phase.tries + 1 }) : unanswered(state);
    case 'awaiting url':
      return talk(state, { name: 'requesting', tries: 1 });
    case 'requesting':
      return phase.tries < mostRequests ? talk(state, { ...phase, tries: phase.tries + 1 }) : noUrl(state);
    default:
      return only(state);
  }
}

/** The panel stays as it is. */
function noUrl(state: ClassicState): ClassicStep {
  return vanish(
    state,
    state.cycle.sleepSeconds,
    trace('failed', { why: 'no url' }),
    updateState(state, 'update_failed'),
  );
}
