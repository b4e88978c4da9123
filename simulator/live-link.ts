/**
 * Carries out a frame's effects over real MQTT and HTTP. Only sleeping, drawing and joining the Wi-Fi are shortened by
 * `speed`; waiting for the service is not.
 */
import type { Clock } from '../runtime/clock.ts';
import type { SimulatedCredentials } from './credentials.ts';
import { fetchFile } from './fetch-file.ts';
import type { FrameEffect, FrameIncident, SimulatedEvent, SleepSeconds } from './frame.ts';
import { frameTime } from './frame-time.ts';
import { type MqttSession, openSession } from './mqtt-session.ts';

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
  /** The address that it calls for one that it was told, where that leads elsewhere. */
  readonly reach?: (url: string) => string;
}

export interface LiveLink {
  /** Wakes a frame that sleeps. */
  wake(reason: 'button' | 'timer'): void;
  /** Carries out one effect; its outcome is reported later, never at once. */
  perform(effect: FrameEffect): void;
  /** Ends everything at once. */
  destroy(): void;
}

/**
 * Opens the link of one frame.
 * @param tell receives the events of the frame
 */
export function liveLink(frame: LinkedFrame, clock: Clock, tell: (event: SimulatedEvent) => void): LiveLink {
  const { reach = (url: string) => url } = frame;
  const time = frameTime(frame.speed, clock, tell);
  let session: MqttSession | undefined;
  /** The connection that died with the last sleep, which the other side may not know yet (W-26). */
  let ghost: MqttSession | undefined;
  let abandonDownload: (() => void) | undefined;

  const quiet = (): void => {
    time.cancelAll();
    abandonDownload?.();
    abandonDownload = undefined;
  };
  const sleep = (seconds: SleepSeconds, incident: FrameIncident): void => {
    quiet();
    ghost?.destroy();
    session?.vanish();
    ghost = session;
    session = undefined;
    if (seconds === 'for ever') return;
    time.pass('sleep', seconds === 'until button' ? buttonAfterSeconds : seconds, incident);
  };

  return {
    wake(reason) {
      time.cancelAll();
      time.happen({ kind: 'woken', reason });
    },
    perform(effect) {
      switch (effect.do) {
        case 'join':
          return time.pass('join', joinSeconds, { kind: 'joined', isIn: true });
        case 'connect':
          session?.destroy();
          session =
            frame.credentials &&
            openSession({ ...frame, credentials: frame.credentials }, effect.connackMs, clock, time.happen);
          return;
        case 'subscribe':
          return session?.subscribe(effect.topics, effect.qos, effect.subackMs);
        case 'publish':
          return session?.publish(effect.topic, effect.payload, effect.qos);
        case 'disconnect':
          session?.disconnect();
          return;
        case 'download':
          abandonDownload?.();
          abandonDownload = fetchFile({ ...effect, url: reach(effect.url) }, frame.credentials?.ca, clock, time.happen);
          return;
        case 'draw':
          return time.pass('draw', effect.seconds, { kind: 'drawn', turned: false });
        case 'timer':
          return time.ring(effect.name, effect.afterMs);
        case 'sleep':
          return sleep(effect.seconds, { kind: 'woken', reason: effect.wake });
        case 'trace':
          return;
      }
    },
    destroy() {
      quiet();
      session?.destroy();
      ghost?.destroy();
    },
  };
}
