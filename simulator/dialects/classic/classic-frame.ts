/** The steps of the fielded frame through its wake cycle (sections 6, 7, 9 and 11 of the frame wire). */
import { classicTopics } from '../../../firmware-protocol/topics.ts';
import { passTime, woken } from '../../frame/battery.ts';
import { after, defaultSleepSeconds, failsafeMs, only, type SimulatedEvent, trace } from '../../frame/frame.ts';
import { deactivated, hear, maxReports, unanswered } from './classic-answer.ts';
import { askForFirmware, flash, takeManifest } from './classic-firmware.ts';
import { download, draw, finishClassicDrawing, nextRound, takeAnswer } from './classic-picture.ts';
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

const emptyBatteryMv = 4200;
const emptyBatterySleepSeconds = 86_000;
/** After so many wakes without Wi-Fi it shows that to the person, and sleeps for half a day each time (W-39). */
const offlineAfter = 10;
const offlineSleepSeconds = 43_000;
const maxConnects = { cycle: 21, saying: 5 } as const;
const reconnectMs = { cycle: 300, saying: 1000 } as const;
const maxDeactivations = 5;
const maxRequests = 5;

/** Makes one step of a classic frame. */
export function stepClassic(before: ClassicState, event: SimulatedEvent): ClassicStep {
  const state = passTime(before, event);
  const { phase } = state;
  switch (event.kind) {
    case 'woken':
      return wake(woken(state, event.reason));
    case 'connected':
      return only(
        { ...state, wifiFailures: 0 },
        {
          do: 'subscribe',
          topics: [classicTopics.receive(state.serial)],
          qos: 0,
          subackMs: 1000,
        },
      );
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
      if (phase.name === 'downloading') return takeAnswer(state, phase, event);
      return phase.name === 'probing' ? only(state) : firmware(state, event);
    case 'download failed':
      return phase.name === 'probing' || phase.name === 'downloading'
        ? nextRound(state, phase, event.why)
        : firmware(state, event);
    case 'joined':
      return event.isIn ? only(state) : withoutWifi(state);
    case 'drawn':
      return phase.name === 'drawing'
        ? finishClassicDrawing(state, phase.plan, phase.draws, event.turned)
        : only(state);
  }
}

function firmware(
  state: ClassicState,
  event: Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>,
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

/**
 * Sleeps the stored timeout; the tenth such wake in a row draws an overlay, and from then on the sleeps are long. The flags
 * are those of the EEPROM (W-27). What a frame does that is not activated is not known: it waits for a person, as after
 * the failsafe.
 */
function withoutWifi(state: ClassicState): ClassicStep {
  const wifiFailures = state.wifiFailures + 1;
  const cycle = { ...state.cycle, flags: state.eeprom, sleepSeconds: offlineSleepSeconds };
  const failed: ClassicState = { ...state, wifiFailures, cycle };
  const gaveUp = trace('gave up', { why: 'no Wi-Fi' });
  if (!state.activated) return vanish(failed, 'until button', gaveUp);
  if (wifiFailures < offlineAfter) return vanish(failed, state.sleepSeconds, gaveUp);
  if (wifiFailures > offlineAfter) return vanish(failed, offlineSleepSeconds, gaveUp);
  const overlay = { shows: 'screen', screen: 'offline' } as const;
  return after(only(failed, gaveUp), draw(failed, { glass: overlay, keep: state.picture, says: undefined }));
}

/** Connects again after a loss; the frame repeats on the next connection the message that it was sending. */
function lose(state: ClassicState, why: string): ClassicStep {
  const { phase } = state;
  const lost = trace('link lost', { why });
  if (phase.name === 'connecting') {
    const kind = phase.next.name === 'saying' ? 'saying' : 'cycle';
    if (phase.attempt < maxConnects[kind]) {
      const again = { ...phase, attempt: phase.attempt + 1 };
      return only({ ...state, phase: again }, lost, { do: 'timer', name: 'reconnect', afterMs: reconnectMs[kind] });
    }
    // Without a broker the boot default counts, not the stored sleep (section 7).
    return vanish(state, kind === 'saying' ? state.cycle.sleepSeconds : defaultSleepSeconds, lost);
  }
  const resumed = resumedPhase(phase);
  return resumed === undefined ? only(state, lost) : connectTo(state, resumed, lost);
}

function resumedPhase(phase: ClassicPhase): TalkingPhase | undefined {
  if (phase.name === 'awaiting url') return { name: 'requesting', tries: 1 };
  if (phase.name === 'reporting') return { name: 'reporting', tries: Math.min(phase.tries + 1, maxReports) };
  return phase.name === 'deactivating' || phase.name === 'requesting' ? phase : undefined;
}

function ring(state: ClassicState, name: string): ClassicStep {
  const { phase } = state;
  if (phase.name === 'kept awake') return only(state);
  if (name === 'failsafe') {
    return vanish(state, state.activated ? state.cycle.sleepSeconds : 'until button', trace('failsafe'));
  }
  if (phase.name === 'connecting')
    return name === 'reconnect' ? only(state, { do: 'connect', connackMs: 1000 }) : only(state);
  if (name !== 'answer') return only(state);
  switch (phase.name) {
    case 'deactivating':
      return phase.tries < maxDeactivations
        ? talk(state, { ...phase, tries: phase.tries + 1 })
        : deactivated(state, phase.next);
    case 'reporting':
      return phase.tries < maxReports ? talk(state, { name: 'reporting', tries: phase.tries + 1 }) : unanswered(state);
    case 'awaiting url':
      return talk(state, { name: 'requesting', tries: 1 });
    case 'requesting':
      return phase.tries < maxRequests ? talk(state, { ...phase, tries: phase.tries + 1 }) : noUrl(state);
    default:
      return only(state);
  }
}

/** Handles a picture without an address: the panel stays as it is. */
function noUrl(state: ClassicState): ClassicStep {
  return vanish(
    state,
    state.cycle.sleepSeconds,
    trace('failed', { why: 'no url' }),
    updateState(state, 'update_failed'),
  );
}
