/**
 * Carries out a frame's effects over real MQTT and HTTP. Only sleeping, drawing and joining the Wi-Fi are shortened by
 * `speed`; waiting for the service is not.
 */

import type { WakeReason } from '../../firmware-protocol/sleep.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { SimulatedCredentials } from '../frame/credentials.ts';
import {
  type FrameEffect,
  type FrameIncident,
  noWifiSeconds,
  type SimulatedEvent,
  type SleepSeconds,
} from '../frame/frame.ts';
import { frameTime } from '../frame/frame-time.ts';
import type { Air } from './air.ts';
import { fetchFile } from './fetch-file.ts';
import { type KeptSession, type MqttSession, openSession } from './mqtt-session.ts';

/** Seconds that joining the Wi-Fi takes. */
const joinSeconds = 2;
/** After this long somebody presses the button of a frame that waits for it, in seconds of the frame's time. */
const buttonAfterSeconds = 3600;

/** A frame as its link knows it. */
export interface LinkedFrame {
  readonly serial: string;
  readonly credentials?: SimulatedCredentials;
  readonly mqttUrl: string;
  /** The factor by which the frame sleeps and draws faster than a real one. */
  readonly speed: number;
  /** Returns the address to call in place of one that the frame was given, where that one leads elsewhere. */
  readonly reach?: (url: string) => string;
  /** Where it keeps its TLS session over its sleep, as firmware of the native dialect may; without one it keeps none. */
  readonly sessions?: KeptSession | undefined;
  /** The network around it; without one its sockets are its own. */
  readonly air?: Air | undefined;
}

/** The live link of a frame: it carries out the frame's effects, and takes what happens to the frame. */
export interface LiveLink {
  /** Wakes a frame that sleeps. */
  wake(reason: WakeReason): void;
  /** Breaks the connection and a download that are open, as an access point that restarts does. */
  cut(): void;
  /** Takes the frame's Wi-Fi away until it has fallen asleep this many times. */
  loseFor(wakes: number): void;
  /** Breaks the draw that is under way, if one is, because somebody took the frame from the wall. */
  breakDraw(): void;
  /** Whether the frame is asleep or busy with itself, so that it asks nothing of the service. */
  isByItself(): boolean;
  /** Switches it off at once: no timer runs, no byte follows, and nobody notifies the other side. */
  switchOff(): void;
  /** Carries out one effect; its outcome is reported later, never at once. */
  perform(effect: FrameEffect): void;
  /** Ends everything at once. */
  destroy(): void;
}

/**
 * Returns the incident of an effect that needs the Wi-Fi while there is none; undefined for one that needs none.
 * @param wasIn whether the frame was in its Wi-Fi in this wake
 */
function missed(effect: FrameEffect, wasIn: boolean): FrameIncident | undefined {
  const needsWifi = effect.do === 'join' || effect.do === 'connect' || effect.do === 'download';
  if (needsWifi && !wasIn) return { kind: 'joined', isIn: false };
  if (effect.do === 'connect') return { kind: 'link lost', why: 'no Wi-Fi' };
  return effect.do === 'download' ? { kind: 'download failed', why: 'no Wi-Fi' } : undefined;
}

/** Forgets what only a sleep leaves alone, where the frame is woken by a reset. */
function rememberUntil(reason: WakeReason, sessions: KeptSession | undefined): void {
  if (reason === 'reset' && sessions !== undefined) sessions.kept = undefined;
}

/**
 * Opens the link of one frame.
 * @param tell receives the events of the frame
 */
export function liveLink(frame: LinkedFrame, clock: Clock, tell: (event: SimulatedEvent) => void): LiveLink {
  const time = frameTime(frame.speed, clock, tell);
  const radio = radioOf(frame, clock, time.happen);
  let wakesWithoutLink = 0;
  let wasMoved = false;
  let wasIn = false;

  const switchOff = (): void => {
    wasIn = false;
    time.cancelAll();
    radio.vanish();
  };
  const sleep = (seconds: SleepSeconds, reason: WakeReason): void => {
    switchOff();
    rememberUntil(reason, frame.sessions);
    wakesWithoutLink = Math.max(0, wakesWithoutLink - 1);
    if (seconds === 'for ever') return;
    time.pass('sleep', seconds === 'until button' ? buttonAfterSeconds : seconds, () => ({ kind: 'woken', reason }));
  };

  return {
    wake(reason) {
      rememberUntil(reason, frame.sessions);
      time.cancelAll();
      time.happen({ kind: 'woken', reason });
    },
    cut: radio.cut,
    loseFor(wakes) {
      wakesWithoutLink = wakes;
    },
    breakDraw() {
      wasMoved = true;
    },
    isByItself: time.passes,
    switchOff,
    perform(effect) {
      const incident = wakesWithoutLink > 0 ? missed(effect, wasIn) : undefined;
      if (incident !== undefined) {
        const looksLong = incident.kind === 'joined' && effect.do !== 'join';
        return time.pass('join', looksLong ? noWifiSeconds : joinSeconds, () => incident);
      }
      switch (effect.do) {
        case 'join': {
          const { inVainSeconds } = effect;
          const isIn = inVainSeconds === undefined;
          wasIn = isIn;
          return time.pass('join', inVainSeconds ?? joinSeconds, () => ({ kind: 'joined', isIn }));
        }
        case 'draw':
          wasMoved = false;
          return time.pass('draw', effect.seconds, () => ({ kind: 'drawn', turned: wasMoved }));
        case 'timer':
          return time.ring(effect.name, effect.afterMs);
        case 'sleep':
          return sleep(effect.seconds, effect.wake);
        case 'lose power':
          return sleep(effect.seconds, 'reset');
        case 'trace':
          return;
        default:
          wasIn = true;
          return radio.perform(effect);
      }
    },
    destroy() {
      time.cancelAll();
      radio.destroy();
    },
  };
}

/** An effect that needs the network. */
type NetworkEffect = Extract<FrameEffect, { do: 'connect' | 'subscribe' | 'publish' | 'disconnect' | 'download' }>;

/** The connections of one frame: to the broker, the one of its last wake, and the download that is under way. */
function radioOf(frame: LinkedFrame, clock: Clock, happen: (incident: FrameIncident) => void) {
  const { reach = (url: string) => url, credentials, air } = frame;
  let session: MqttSession | undefined;
  /** The connection that died with the last sleep, which the other side may not know yet (W-26). */
  let ghost: MqttSession | undefined;
  let abandonDownload: (() => void) | undefined;

  const endDownload = (): boolean => {
    const isOpen = abandonDownload !== undefined;
    abandonDownload?.();
    abandonDownload = undefined;
    return isOpen;
  };
  const download = (effect: Extract<FrameEffect, { do: 'download' }>): void => {
    endDownload();
    const way = { ca: credentials?.ca, connect: air?.connect };
    abandonDownload = fetchFile({ ...effect, url: reach(effect.url) }, way, clock, (incident) => {
      abandonDownload = undefined;
      happen(incident);
    });
  };

  return {
    perform(effect: NetworkEffect): void {
      switch (effect.do) {
        case 'connect':
          session?.destroy();
          session =
            credentials && openSession({ ...frame, ...effect, credentials, connect: air?.connect }, clock, happen);
          return;
        case 'subscribe':
          session?.subscribe(effect.topics, effect.qos, effect.subackMs);
          return;
        case 'publish':
          session?.publish(effect.topic, effect.payload, effect.qos);
          return;
        case 'disconnect':
          session?.disconnect();
          return;
        case 'download':
          download(effect);
          return;
      }
    },
    cut(): void {
      const lost = session;
      session = undefined;
      lost?.destroy();
      if (endDownload()) happen({ kind: 'download failed', why: 'the link was cut' });
      if (lost !== undefined) happen({ kind: 'link lost', why: 'the link was cut' });
    },
    /** Ends all of them without sending another byte. */
    vanish(): void {
      endDownload();
      ghost?.destroy();
      session?.vanish();
      ghost = session;
      session = undefined;
    },
    destroy(): void {
      endDownload();
      session?.destroy();
      ghost?.destroy();
      air?.end();
    },
  };
}
