/** The frames' side as a test plays it: who is provisioned, who is active, and what is known of them. */
import type { FrameFacts, Frames } from '../../api/devices/frames.ts';

export interface PlayedFrames extends Frames {
  /** Serials that are provisioned, with whether they are somebody's. */
  readonly active: Map<string, boolean>;
  readonly facts: Map<string, FrameFacts>;
  /** What people set, by serial. */
  readonly configured: Map<string, unknown>;
  provision(serial: string, facts?: Partial<FrameFacts>): void;
}

export function playFrames(): PlayedFrames {
  const active = new Map<string, boolean>();
  const facts = new Map<string, FrameFacts>();
  const configured = new Map<string, unknown>();
  return {
    active,
    facts,
    configured,
    provision(serial, known = {}) {
      active.set(serial, false);
      facts.set(serial, { ...neverHeardOf, ...known });
    },
    status: async (serial) => facts.get(serial),
    async activate(_trx, serial) {
      if (!active.has(serial)) return 'unknown';
      active.set(serial, true);
      return 'activated';
    },
    async configure(_trx, serial, settings) {
      configured.set(serial, settings);
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
  firmware: null,
  fileVersion: 0,
  pictureSynced: null,
  sleepSeconds: 3600,
  kind: 'epd7',
  panel: null,
};
