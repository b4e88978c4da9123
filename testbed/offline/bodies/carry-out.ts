/** Carries out what a simulated device does: its effects over modelled links, its power, and what its glass comes to show. */
import type { WakeReason } from '../../../firmware-protocol/sleep.ts';
import type { AnyFrame, StepFrame } from '../../../simulator/dialects/any-frame.ts';
import { losePower } from '../../../simulator/dialects/lose-power.ts';
import type { FrameEffect, FrameIncident, SimulatedEvent } from '../../../simulator/frame/frame.ts';
import type { NamedTimers } from '../../../simulator/frame/named-timers.ts';
import { fetchOver } from '../machine/download.ts';
import { sha256Hex } from '../machine/drawing.ts';
import { type Link, openLink } from '../machine/link.ts';
import {
  brownsOut,
  falseAnswer,
  joinsWifi,
  losesPowerWhileWriting,
  modelledAwayMs,
  noteHidden,
  type PolledAir,
} from '../machine/polled-air.ts';
import type { BodyDeps, DeviceOptions, FrameBody, ShownPicture } from './device.ts';

/** Everything that a device is at the moment. */
export interface BodyState {
  readonly deps: BodyDeps;
  readonly device: DeviceOptions;
  readonly step: StepFrame;
  /** The factor by which its clock is off: real sleeps are longer or shorter than the frame was sent. */
  readonly drift: number;
  readonly timers: NamedTimers;
  readonly shown: ShownPicture[];
  readonly air: PolledAir;
  frame: AnyFrame;
  link: Link | undefined;
  abandonDownload: (() => void) | undefined;
  self: FrameBody | undefined;
  /** Somebody takes it from the wall while it draws. */
  wasMoved: boolean;
}

/** After this long somebody presses the button of a frame that waits for it. */
const buttonAfterMs = 600_000;

/** Lets the frame take one step, and carries out its effects. */
export function happen(body: BodyState, incident: FrameIncident): void {
  const event: SimulatedEvent = { ...incident, atMs: body.deps.time.now() };
  body.air.sees(event);
  const before = body.frame;
  const next = body.step(before, event);
  body.frame = next.state;
  rememberGlass(body, before);
  for (const effect of next.effects) perform(body, effect);
}

function perform(body: BodyState, effect: FrameEffect): void {
  const { deps, device, frame } = body;
  const onIncident = (incident: FrameIncident): void => happen(body, incident);
  switch (effect.do) {
    case 'connect':
      body.link?.vanish();
      body.link = openLink(deps, { id: frame.serial, password: device.password }, effect, onIncident);
      return;
    case 'subscribe':
      body.link?.subscribe(effect.subackMs);
      return;
    case 'publish':
      body.link?.publish(effect.topic, effect.payload, effect.qos);
      return;
    case 'disconnect':
      body.link?.disconnect();
      return;
    case 'join':
      join(body, effect.inVainSeconds);
      return;
    case 'download': {
      body.abandonDownload?.();
      noteHidden(body.frame, body.air);
      const instead = effect.call === undefined ? undefined : falseAnswer(deps, effect.part);
      if (instead === undefined) body.abandonDownload = fetchOver(deps, effect, onIncident);
      else body.timers.start('answer', deps.chance.whole(10, 2000), () => onIncident(instead));
      return;
    }
    case 'draw':
      draw(body, effect.seconds);
      return;
    case 'timer':
      if (effect.name === 'written' && losesPowerWhileWriting(deps)) {
        body.timers.start('power', deps.chance.whole(1, effect.afterMs - 1), () =>
          unplug(body, deps.chance.whole(100, 60_000)),
        );
      }
      body.timers.start(`timer ${effect.name}`, effect.afterMs, () => onIncident({ kind: 'timer', name: effect.name }));
      return;
    case 'sleep':
      sleep(body, effect);
      return;
    case 'lose power':
      unplug(body, effect.seconds === 'for ever' ? undefined : effect.seconds * 1000);
      return;
    case 'trace':
      deps.note(`${device.name} ${effect.event} ${JSON.stringify(effect.facts)}`);
      return;
  }
}

function join(body: BodyState, inVainSeconds: number | undefined): void {
  const { deps, air } = body;
  const afterMs = inVainSeconds === undefined ? deps.chance.whole(300, 4000) : inVainSeconds * 1000;
  body.timers.start('join', afterMs, () => happen(body, joinsWifi(deps, air, inVainSeconds !== undefined)));
}

/** Draws on the glass, now and then with a power loss in the middle. */
function draw(body: BodyState, seconds: number): void {
  const { chance, currentFaults } = body.deps;
  const isLost = chance.happens(currentFaults().powerLoss / 2, 'loses power while it draws');
  const givesIn = !isLost && body.frame.dialect === 'trmnl' && brownsOut(body.deps);
  const awayMs = (): number => (isLost ? chance.whole(1000, 60_000) : chance.whole(50, 400));
  if (isLost || givesIn) body.timers.start('power', chance.whole(1, seconds * 1000), () => unplug(body, awayMs()));
  body.wasMoved = false;
  body.timers.start('draw', seconds * 1000, () => {
    const turned = chance.happens(currentFaults().turnedWhileDrawing, 'turned while it draws');
    happen(body, { kind: 'drawn', turned: turned || body.wasMoved });
  });
}

function sleep(body: BodyState, { seconds, wake: reason, isExact }: Extract<FrameEffect, { do: 'sleep' }>): void {
  if (body.self !== undefined) body.deps.slept?.(body.self, body.air.isWell());
  switchOff(body);
  if (seconds === 'for ever') return;
  const sleepMs = seconds === 'until button' ? buttonAfterMs : seconds * 1000 * (isExact ? 1 : body.drift);
  body.timers.start('sleep', sleepMs, () => wake(body, reason));
}

/** Wakes the frame, now and then with a power loss soon after. */
export function wake(body: BodyState, reason: WakeReason): void {
  const { chance, currentFaults, time } = body.deps;
  body.timers.cancel('sleep');
  body.deps.woke?.(body.frame.serial);
  if (chance.happens(currentFaults().powerLoss, 'loses power while awake')) {
    time.after(chance.whole(10, 60_000), () => body.frame.asleep || unplug(body, chance.whole(1000, 120_000)));
  }
  happen(body, { kind: 'woken', reason });
}

export function unplug(body: BodyState, forMs: number | undefined): void {
  const before = body.frame;
  switchOff(body);
  body.frame = losePower(before);
  body.air.losesPower();
  rememberGlass(body, before);
  body.deps.note(`${body.device.name} without power`);
  const awayMs = forMs === undefined ? undefined : modelledAwayMs(before, forMs);
  if (awayMs !== undefined) body.timers.start('sleep', awayMs, () => wake(body, 'reset'));
}

/** Ends everything that is under way: timers, the download and the link. */
function switchOff(body: BodyState): void {
  body.timers.cancelAll();
  body.abandonDownload?.();
  body.abandonDownload = undefined;
  body.link?.vanish();
  body.link = undefined;
}

/** Keeps what the glass shows, if a step has changed it. */
function rememberGlass({ frame, shown, deps, device }: BodyState, before: AnyFrame): void {
  const { glass } = frame;
  if (glass === before.glass) return;
  const what = glass.shows === 'picture' ? sha256Hex(glass.file) : glass.shows;
  shown.push({ at: deps.time.now(), what });
  deps.note(`${device.name} glass ${what.slice(0, 12)}`);
}

/** Breaks the connection and the download that are open. */
export function cutLink(body: BodyState): void {
  const [hadLink, hadDownload] = [body.link !== undefined, body.abandonDownload !== undefined];
  body.abandonDownload?.();
  body.abandonDownload = undefined;
  body.link?.vanish();
  body.link = undefined;
  if (hadDownload) happen(body, { kind: 'download failed', why: 'the link was cut' });
  if (hadLink && !body.frame.asleep) happen(body, { kind: 'link lost', why: 'the link was cut' });
}
