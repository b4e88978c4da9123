/** The frames' side as a test plays it: who is provisioned, who is active, and what is known of them. */

import type { FrameFacts, Frames } from '../../api/devices/frames.ts';
import type { CommandOutcome, CommandWish } from '../../gateway/commands/command-frame.ts';
import type { Ping } from '../../gateway/commands/ping-frame.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';

export interface PlayedFrames extends Frames {
  /** Serials that are provisioned, with whether they are somebody's. */
  readonly active: Map<string, boolean>;
  readonly facts: Map<string, FrameFacts>;
  /** What is known of the last picture that a frame was offered, by serial. */
  readonly evidence: Map<string, Evidence>;
  /** What people set, by serial. */
  readonly configured: Map<string, unknown>;
  /** Serials that were told at once what was set, in order. */
  readonly announced: string[];
  /** What was asked of frames, in order, and what they answer; by serial. */
  readonly asked: { readonly serial: string; readonly wish: CommandWish | { readonly waitForData: boolean } }[];
  readonly outcomes: Map<string, CommandOutcome>;
  readonly pings: Map<string, Ping>;
  provision(serial: string, facts?: Partial<FrameFacts>): void;
}

export function playFrames(): PlayedFrames {
  const active = new Map<string, boolean>();
  const evidence: PlayedFrames['evidence'] = new Map();
  const facts = new Map<string, FrameFacts>();
  const configured = new Map<string, unknown>();
  const announced: string[] = [];
  const asked: PlayedFrames['asked'] = [];
  const outcomes = new Map<string, CommandOutcome>();
  const pings = new Map<string, Ping>();
  return {
    asked,
    outcomes,
    pings,
    async command(serial, wish) {
      asked.push({ serial, wish });
      return outcomes.get(serial);
    },
    async ping(serial, how) {
      asked.push({ serial, wish: how });
      return pings.get(serial);
    },
    active,
    facts,
    configured,
    announced,
    provision(serial, known = {}) {
      active.set(serial, false);
      facts.set(serial, { ...neverHeardOf, ...known });
    },
    evidence,
    newestEvidence: async (serial) => evidence.get(serial),
    status: async (serial) => facts.get(serial),
    async activate(_trx, serial) {
      if (!active.has(serial)) return 'unknown';
      active.set(serial, true);
      return 'activated';
    },
    async configure(_trx, serial, settings) {
      configured.set(serial, settings);
      return true;
    },
    async announceSettings(serial) {
      announced.push(serial);
    },
    async release(_trx, serial) {
      active.set(serial, false);
    },
  };
}

const neverHeardOf: FrameFacts = {
  status: 'offline',
  connected: false,
  lastContactAt: null,
  expectedWakeAt: null,
  batteryMv: null,
  batteryDaysLeft: null,
  firmware: null,
  fileVersion: 0,
  pictureSynced: null,
  sleepSeconds: 3600,
  keptSleepSeconds: null,
  kind: 'epd7',
  panel: null,
};
