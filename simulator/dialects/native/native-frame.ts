/** The steps of a frame of the native dialect: hello, desired, download, report, bye, sleep. */
import { decode } from '../../../firmware-protocol/codec.ts';
import type { Message, MessageName } from '../../../firmware-protocol/messages.ts';
import { nativeTopic } from '../../../firmware-protocol/topics.ts';
import { passTime, woken } from '../../frame/battery.ts';
import { after, asleep, failsafeMs, only, type SimulatedEvent, type Step, trace } from '../../frame/frame.ts';
import { answerCommand } from './answer-command.ts';
import { checkFirmware } from './native-firmware.ts';
import { checkDownload, finishNativeDrawing, maxPictureTries, obey, rest } from './native-picture.ts';
import { goodNight, hello, type NativeState, say } from './native-state.ts';

type NativeStep = Step<NativeState>;

const answerMs = 5000;
const maxHellos = 3;
const reconnectMs = 1000;

/** Makes one step of a native frame. */
export function stepNative(before: NativeState, event: SimulatedEvent): NativeStep {
  const state = passTime(before, event);
  switch (event.kind) {
    case 'woken':
      return wake(woken(state, event.reason));
    case 'connected':
      return only(state, {
        do: 'subscribe',
        topics: [nativeTopic(state.serial, 'desired'), nativeTopic(state.serial, 'command')],
        qos: 1,
        subackMs: answerMs,
      });
    case 'subscribed':
      return greet({ ...state, linkUp: true, connects: 0 });
    case 'link lost':
      return lose(state, event.why);
    case 'message':
      return hear(state, event.topic, event.payload);
    case 'timer':
      return ring(state, event.name);
    case 'downloaded':
    case 'download failed':
      return takeDownload(state, event);
    case 'joined':
      // It tries again when it would have woken anyway.
      return event.isIn
        ? only(state)
        : asleep(state, state.sleepSeconds, 'timer', trace('gave up', { why: 'no Wi-Fi' }));
    case 'drawn':
      return state.work?.doing === 'drawing' ? finishNativeDrawing(state, state.work, event.turned) : only(state);
    case 'probed':
      return only(state);
  }
}

function takeDownload(
  state: NativeState,
  event: Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>,
): NativeStep {
  if (state.work?.doing === 'downloading') return checkDownload(state, state.work, event);
  if (state.update?.downloading !== true) return only(state);
  const checked = checkFirmware(state, state.update.firmware, event);
  return checked.state.asleep ? checked : after(checked, rest(checked.state));
}

function wake(state: NativeState): NativeStep {
  const idle = { work: undefined, next: undefined, failedVersion: 0, update: undefined, failedOffer: undefined };
  const fresh = { ...state, linkUp: false, connects: 1, hellos: 0, ...idle };
  return only(
    fresh,
    trace('woke', { reason: state.wake, batteryMv: Math.round(state.batteryMv) }),
    { do: 'timer', name: 'failsafe', afterMs: failsafeMs },
    { do: 'connect', connackMs: answerMs },
  );
}

/** Sends hello, then the reports that could not be sent before. */
function greet(state: NativeState): NativeStep {
  return only(
    { ...state, hellos: state.hellos + 1, answered: false, unsaid: [] },
    say(state, 'hello', hello(state)),
    ...state.unsaid.map((report) => say(state, 'report', report)),
    { do: 'timer', name: 'answer', afterMs: answerMs },
  );
}

function lose(state: NativeState, why: string): NativeStep {
  const down = { ...state, linkUp: false };
  if (state.connects < maxPictureTries) {
    return only({ ...down, connects: state.connects + 1 }, trace('link lost', { why }), {
      do: 'timer',
      name: 'reconnect',
      afterMs: reconnectMs,
    });
  }
  return state.work === undefined
    ? asleep(down, state.sleepSeconds, 'timer', trace('gave up', { why }))
    : only(down, trace('link lost', { why }));
}

function hear(state: NativeState, topic: string, payload: Uint8Array): NativeStep {
  if (topic === nativeTopic(state.serial, 'desired')) {
    return withMessage(state, 'desired', payload, (desired) => obey(state, desired));
  }
  if (topic !== nativeTopic(state.serial, 'command')) return only(state);
  return withMessage(state, 'command', payload, (command) => {
    const answered = answerCommand(state, command);
    return answered.state.asleep ? answered : after(answered, rest(answered.state));
  });
}

function withMessage<Name extends MessageName>(
  state: NativeState,
  name: Name,
  payload: Uint8Array,
  use: (message: Message<Name>) => NativeStep,
): NativeStep {
  const decoded = decode(name, payload);
  if (decoded.ok) return use(decoded.value);
  const message = `${name}: ${decoded.problem}`.slice(0, 200);
  return only(state, trace('ignored', { message }), say(state, 'log', { level: 'warn', message }));
}

function ring(state: NativeState, name: string): NativeStep {
  if (name === 'failsafe') return goodNight(state, trace('failsafe'));
  if (name === 'reconnect') return only(state, { do: 'connect', connackMs: answerMs });
  if (!state.linkUp) return only(state);
  if (name === 'answer' && !state.answered) return state.hellos < maxHellos ? greet(state) : goodNight(state);
  const idle = state.work === undefined && state.update?.downloading !== true;
  return name === 'linger' && state.answered && idle ? goodNight(state) : only(state);
}
