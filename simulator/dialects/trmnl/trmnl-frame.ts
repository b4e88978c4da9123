/**
 * The steps of a frame that polls, through its wake: Wi-Fi, its key, its stored errors, what to show, the picture, the
 * draw, sleep. The bugs of the firmware are kept: which failures leave the answer's settings in place differs by
 * version.
 */
import { passTime, refreshed, woken } from '../../frame/battery.ts';
import { after, only, type SimulatedEvent, trace } from '../../frame/frame.ts';
import { trmnlShownWifiFailure, trmnlWifiLadder } from './trmnl-firmware.ts';
import { takeDisplayAnswer, takePicture, writePicture } from './trmnl-picture.ts';
import {
  displayCall,
  drawScreen,
  drawTrmnl,
  logCall,
  setupCall,
  storedSleep,
  type TrmnlNext,
  type TrmnlPhase,
  type TrmnlScreen,
  type TrmnlState,
  type TrmnlStep,
  trmnlSleeps,
  withLog,
  withOutcome,
} from './trmnl-state.ts';

type Answered = Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>;

/** The pause between two tries to ask, milliseconds. */
const pauseMs = 2000;

/** Makes one step of a frame that polls. */
export function stepTrmnl(before: TrmnlState, event: SimulatedEvent): TrmnlStep {
  const state = passTime(before, event);
  const { phase } = state;
  switch (event.kind) {
    case 'woken':
      return wake(woken(state, event.reason));
    case 'joined':
      return phase.name === 'joining' ? joined(state, event.isIn) : only(state);
    case 'timer':
      if (phase.name === 'pausing' && event.name === 'pause') return ask(state, phase.attempt);
      return phase.name === 'writing' && event.name === 'written' ? written(state, phase) : only(state);
    case 'downloaded':
    case 'download failed':
      return answered(state, phase, event);
    case 'drawn':
      return phase.name === 'drawing' ? drawn(state, phase) : only(state);
    default:
      return only(state);
  }
}

/** Begins a wake. Unless its timer woke it, the frame draws the logo and forgets which picture it drew last. */
function wake(state: TrmnlState): TrmnlStep {
  const begun = { ...state, wokeAt: state.nowMs };
  const woke = trace('woke', { reason: state.wake });
  if (state.wake === 'timer') return after(only(begun, woke), go(begun, { go: 'join' }));
  return after(only(begun, woke), drawScreen({ ...begun, remembered: undefined }, 'logo', { go: 'join' }));
}

/** Goes on with what comes next. */
function go(state: TrmnlState, next: TrmnlNext): TrmnlStep {
  switch (next.go) {
    case 'join':
      return only({ ...state, phase: { name: 'joining' } }, { do: 'join' });
    case 'ask':
      return ask(state, 1);
    case 'write':
      return writePicture(state, next.told, next.picture);
    case 'after Wi-Fi failed':
      return afterWifiFailed(state);
    case 'after a failure':
      return afterFailure(state, next.screen);
    case 'after no picture':
      // The service answered, so the sleep that it set is kept.
      return drawScreen({ ...state, apiFailures: 0 }, 'download failed', { go: 'sleep', seconds: storedSleep(state) });
    case 'sleep':
      return trmnlSleeps(state, next.seconds);
    case 'drawn':
      return trmnlSleeps(
        { ...withOutcome(state, next.name, 'drawn'), remembered: next.name, apiFailures: 0 },
        storedSleep(state),
      );
  }
}

function joined(state: TrmnlState, isIn: boolean): TrmnlStep {
  if (!isIn) {
    const failed = withLog(withOutcome(state, undefined, 'error'), 'Connection failed! WL Status: 6');
    if (state.does.hidesFailures && state.wake === 'timer') return afterWifiFailed(failed);
    return drawScreen(failed, 'Wi-Fi failed', { go: 'after Wi-Fi failed' });
  }
  const online = { ...state, wifiFailures: 0 };
  if (online.key === undefined) return only({ ...online, phase: { name: 'setting up' } }, setupCall(online));
  return post(online, { go: 'ask' });
}

/**
 * Stores a sleep of the firmware's own after Wi-Fi failed. By then the screen is on the glass, if the firmware draws
 * one.
 */
function afterWifiFailed(state: TrmnlState): TrmnlStep {
  const { does } = state;
  if (does.hidesFailures) {
    const failures = state.wifiFailures + 1;
    const { number, seconds: afterShown } = trmnlShownWifiFailure;
    if (failures < number) {
      return trmnlSleeps({ ...state, refreshRate: does.ownSeconds, wifiFailures: failures }, does.ownSeconds);
    }
    const shown = { ...state, refreshRate: afterShown, wifiFailures: 0 };
    return drawScreen(shown, 'Wi-Fi failed', { go: 'sleep', seconds: afterShown });
  }
  const seconds = trmnlWifiLadder[state.wifiFailures];
  if (seconds !== undefined) {
    return trmnlSleeps({ ...state, refreshRate: seconds, wifiFailures: state.wifiFailures + 1 }, seconds);
  }
  if (!does.endsWithoutWifi) {
    return trmnlSleeps({ ...state, refreshRate: does.ownSeconds }, does.ownSeconds);
  }
  return drawScreen({ ...state, wifiFailures: 0 }, 'Wi-Fi given up', { go: 'sleep', seconds: 'until button' });
}

/** Hands stored errors over, if there are any, before it goes on. */
function post(state: TrmnlState, next: TrmnlNext): TrmnlStep {
  if (state.logs.length === 0 || state.key === undefined) return go(state, next);
  return only({ ...state, phase: { name: 'posting', next } }, logCall(state));
}

function ask(state: TrmnlState, attempt: number): TrmnlStep {
  return only({ ...state, phase: { name: 'asking', attempt } }, displayCall(state));
}

function answered(state: TrmnlState, phase: TrmnlPhase, event: Answered): TrmnlStep {
  switch (phase.name) {
    case 'setting up':
      return takeKey(state, event);
    case 'posting':
      return go(isAccepted(event) ? { ...state, logs: [] } : state, phase.next);
    case 'asking':
      return takeAnswer(state, phase.attempt, event);
    case 'fetching': {
      const taken = takePicture(state, phase.told, event);
      if (taken.outcome === 'failed') {
        const logged = withLog(withOutcome(taken.state, phase.told.name, 'error'), taken.why);
        const next = afterDownload(logged, taken.isUnanswered === true);
        return after(only(logged, trace('failed', { why: taken.why })), post(logged, next));
      }
      return taken.outcome === 'taken'
        ? post(taken.state, { go: 'write', told: phase.told, picture: taken.picture })
        : trmnlSleeps({ ...taken.state, apiFailures: 0 }, storedSleep(taken.state));
    }
    default:
      return only(state);
  }
}

/**
 * Returns the step after a failed download: that of a failure like others, or as if nothing had happened.
 * @param isUnanswered true when no file came at all
 */
function afterDownload(state: TrmnlState, isUnanswered: boolean): TrmnlNext {
  const { does } = state;
  const refreshRate = storedSleep(state);
  if (does.hidesFailures && isUnanswered) return { go: 'after no picture' };
  return does.failedDownload === 'fails'
    ? { go: 'after a failure', screen: 'download failed' }
    : { go: 'sleep', seconds: refreshRate };
}

function isAccepted(event: Answered): boolean {
  return event.kind === 'downloaded' && event.complete && (event.status === 200 || event.status === 204);
}

/** Reads the answer to the setup call. A frame that is not registered waits a quarter of an hour. */
function takeKey(state: TrmnlState, event: Answered): TrmnlStep {
  const said = event.kind === 'downloaded' && event.complete ? readJson(event.body) : undefined;
  const status = event.kind === 'downloaded' && event.status !== 200 ? event.status : said?.status;
  if (status === 404) {
    const seconds = state.does.ownSeconds;
    return drawScreen({ ...state, refreshRate: seconds }, 'not registered', { go: 'sleep', seconds });
  }
  if (status !== 200 || typeof said?.api_key !== 'string') {
    return drawScreen(state, 'service failed', { go: 'sleep', seconds: storedSleep(state) });
  }
  return drawScreen({ ...state, key: said.api_key }, 'set up', { go: 'ask' });
}

function takeAnswer(state: TrmnlState, attempt: number, event: Answered): TrmnlStep {
  const isBody = event.kind === 'downloaded' && event.complete && [200, 301, 429].includes(event.status);
  const said = isBody ? readJson(event.body) : undefined;
  if (said !== undefined) return displayed(state, said);
  // An answer that came but cannot be read is not requested again.
  const mayRetry = !isBody && attempt < state.does.asks;
  if (mayRetry) {
    return only(
      { ...state, phase: { name: 'pausing', attempt: attempt + 1 } },
      { do: 'timer', name: 'pause', afterMs: pauseMs },
    );
  }
  const failed = withLog(withOutcome(state, undefined, 'error'), 'Error fetching API display');
  return post(failed, { go: 'after a failure', screen: 'service failed' });
}

function displayed(state: TrmnlState, said: Readonly<Record<string, unknown>>): TrmnlStep {
  const taken = takeDisplayAnswer(state, said);
  if ('failed' in taken) {
    const failed = withOutcome(taken.state, undefined, 'error');
    return taken.failed === 'fails' ? afterFailure(failed, 'service failed') : trmnlSleeps(failed, storedSleep(failed));
  }
  return taken.step;
}

/** Stores a sleep of the firmware's own. The first three failures are not shown, unless somebody may be looking. */
function afterFailure(state: TrmnlState, screen: TrmnlScreen): TrmnlStep {
  if (state.does.hidesFailures && state.wake !== 'timer') {
    return drawScreen(state, screen, { go: 'sleep', seconds: storedSleep(state) });
  }
  const seconds = state.does.apiLadder[state.apiFailures];
  const counted = { ...state, apiFailures: state.apiFailures + 1 };
  if (seconds !== undefined) return trmnlSleeps({ ...counted, refreshRate: seconds }, seconds);
  const own = state.does.ownSeconds;
  return drawScreen({ ...counted, refreshRate: own }, screen, { go: 'sleep', seconds: own });
}

/** The file is in flash: it is drawn as far as it can be. */
function written(state: TrmnlState, { told, picture }: Extract<TrmnlPhase, { name: 'writing' }>): TrmnlStep {
  return drawTrmnl(state, { shows: 'picture', ...picture }, { go: 'drawn', name: told.name });
}

function drawn(state: TrmnlState, { glass, next }: Extract<TrmnlPhase, { name: 'drawing' }>): TrmnlStep {
  const seen = refreshed(state, state.isStuck ? state.glass : glass);
  return go({ ...seen, believed: glass }, next);
}

function readJson(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
