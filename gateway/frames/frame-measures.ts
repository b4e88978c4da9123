/** The metrics about frames. */
import type { Measure, Meter } from '../../runtime/meter.ts';

export const frameMeasures = {
  papergate_refreshes_avoided_total: {
    kind: 'counter',
    help: 'Refreshes that frames were spared, because the glass shows the very picture already',
    labels: { reason: ['unchanged'] },
  },
  papergate_frame_connects_total: {
    kind: 'counter',
    help: 'Connections of frames whose login was accepted',
    labels: {},
  },
  papergate_frame_handshakes_total: {
    kind: 'counter',
    help: 'TLS handshakes with frames: full ones, and those that resumed a session kept over a sleep',
    labels: { kind: ['full', 'resumed'] },
  },
  papergate_frame_logins_refused_total: {
    kind: 'counter',
    help: 'Logins refused: with wrong credentials, or for the moment because too much is going on',
    labels: { reason: ['credentials', 'busy'] },
  },
  papergate_frame_floods_total: {
    kind: 'counter',
    help: 'Frames that were cut off and kept out for a while because they sent too much',
    labels: {},
  },
  papergate_frame_messages_total: {
    kind: 'counter',
    help: 'Messages of frames that were handed to their dialect',
    labels: { dialect: 'bounded', message: 'bounded' },
  },
  papergate_downloads_total: {
    kind: 'counter',
    help: 'Downloads of pictures by frames: the whole file taken, a part of it taken, or broken off',
    labels: { outcome: ['whole', 'part', 'broken'] },
  },
} as const satisfies Record<string, Measure>;

/** The meter of these metrics. */
export type FrameMeter = Meter<typeof frameMeasures>;
