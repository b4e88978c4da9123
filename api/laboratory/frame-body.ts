/** One device of the laboratory: a frame's pure steps, carried out over modelled links, with a glass that remembers. */

import type { Timer } from '../../gateway/runtime/clock.ts';
import { type AnyFrame, frameThat } from '../../simulator/behaviours.ts';
import type { FrameEffect, FrameEvent, FrameIncident, SleepSeconds } from '../../simulator/frame.ts';
import { losePower } from '../../simulator/lose-power.ts';
import { type DownloadEdges, fetchOver } from './download.ts';
import { sha256Hex } from './drawing.ts';
import { type Link, type LinkEdges, openLink } from './link.ts';

/** What a body lives in. */
export type BodyEdges = LinkEdges & DownloadEdges & { readonly note: (what: string) => void };

/** What a glass showed from a moment on: the digest of the very bytes, or what else it was. */
export interface Shown {
  readonly at: number;
  readonly what: string;
}

/** A device. */
export interface FrameBody {
  readonly name: string;
  readonly serial: string;
  /** Whether it does what its firmware does. */
  readonly isHonest: boolean;
  readonly state: () => AnyFrame;
  /** Everything its glass ever showed, oldest first. */
  readonly shown: readonly Shown[];
  /** Somebody presses the button of a sleeping frame. */
  press(): void;
  /** Its battery is taken out, and put back after this time; undefined leaves it out. */
  unplug(forMs: number | undefined): void;
}

/** After so long somebody presses the button of a frame that waits for it. */
const buttonAfterMs = 600_000;

/** Builds a device, asleep without power. `unplug(0)` starts it. */
export function frameBody(
  edges: BodyEdges,
  device: {
    readonly name: string;
    readonly password: string;
    readonly initial: AnyFrame;
    readonly behaviours: readonly string[];
  },
): FrameBody {
  const { time, chance, weather } = edges;
  const step = frameThat(device.behaviours);
  /** Its clock is this much off: real sleeps are longer or shorter than told. */
  const drift = 0.97 + chance.number() * 0.06;
  const timers = new Map<string, Timer>();
  let state = device.initial;
  let link: Link | undefined;
  let abandon: (() => void) | undefined;
  const shown: Shown[] = [{ at: time.now(), what: 'nothing' }];

  function look(before: AnyFrame): void {
    if (state.glass === before.glass) return;
    const { glass } = state;
    const what = glass.shows === 'picture' ? sha256Hex(glass.file) : glass.shows;
    shown.push({ at: time.now(), what });
    edges.note(`${device.name} glass ${what.slice(0, 12)}`);
  }
  const happen = (incident: FrameIncident): void => {
    const event: FrameEvent = { ...incident, atMs: time.now() };
    const before = state;
    const next = step(before, event);
    state = next.state;
    look(before);
    for (const effect of next.effects) perform(effect);
  };
  const start = (name: string, afterMs: number, run: () => void): void => {
    timers.get(name)?.cancel();
    timers.set(name, time.after(afterMs, run));
  };
  function quiet(): void {
    for (const timer of timers.values()) timer.cancel();
    timers.clear();
    abandon?.();
    abandon = undefined;
    link?.vanish();
    link = undefined;
  }
  function sleep(seconds: SleepSeconds, reason: 'timer' | 'reset' | 'button' | 'motion'): void {
    quiet();
    if (seconds === 'for ever') return;
    start('sleep', seconds === 'until button' ? buttonAfterMs : seconds * 1000 * drift, () => wake(reason));
  }
  function wake(reason: 'timer' | 'reset' | 'button' | 'motion'): void {
    timers.get('sleep')?.cancel();
    if (chance.hits(weather().powerLoss)) {
      time.after(chance.whole(10, 60_000), () => state.asleep || unplug(chance.whole(1000, 120_000)));
    }
    happen({ kind: 'woken', reason });
  }
  function unplug(forMs: number | undefined): void {
    const before = state;
    quiet();
    state = losePower(state);
    look(before);
    edges.note(`${device.name} without power`);
    if (forMs !== undefined) start('sleep', forMs, () => wake('reset'));
  }
  function perform(effect: FrameEffect): void {
    switch (effect.do) {
      case 'connect':
        link?.vanish();
        link = openLink(edges, { id: state.serial, password: device.password }, effect.connackMs, happen);
        return;
      case 'subscribe':
        link?.subscribe(effect.subackMs);
        return;
      case 'publish':
        link?.publish(effect.topic, effect.payload, effect.qos);
        return;
      case 'disconnect':
        link?.disconnect();
        return;
      case 'download':
        abandon?.();
        abandon = fetchOver(edges, effect, happen);
        return;
      case 'draw':
        if (chance.hits(weather().powerLoss / 2)) {
          start('power', chance.whole(1, effect.seconds * 1000), () => unplug(chance.whole(1000, 60_000)));
        }
        start('draw', effect.seconds * 1000, () =>
          happen({ kind: 'drawn', turned: chance.hits(weather().turnedWhileDrawing) }),
        );
        return;
      case 'timer':
        start(`timer ${effect.name}`, effect.afterMs, () => happen({ kind: 'timer', name: effect.name }));
        return;
      case 'sleep':
        sleep(effect.seconds, effect.wake);
        return;
      case 'trace':
        edges.note(`${device.name} ${effect.event} ${JSON.stringify(effect.facts)}`);
        return;
    }
  }
  return {
    name: device.name,
    serial: state.serial,
    isHonest: device.behaviours.length === 0,
    state: () => state,
    shown,
    press: () => void (state.asleep && timers.has('sleep') && wake('button')),
    unplug,
  };
}
