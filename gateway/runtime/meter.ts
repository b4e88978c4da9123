/**
 * What the service counts and times, as one table. The meter is an edge: handed in where something happens, absent where
 * nobody reads it. Labels have few values, none of them chosen by a caller, and never an id (T-12).
 */

interface Measure {
  readonly kind: 'counter' | 'histogram';
  readonly help: string;
  /** The values a label may have; `bounded` for those that the code bounds elsewhere, as route templates. */
  readonly labels: Readonly<Record<string, readonly string[] | 'bounded'>>;
  /** Upper ends of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

/** From a moment to the two days that a delivery is watched. */
const roadSeconds = [0.5, 1, 2, 5, 15, 60, 300, 900, 3600, 7200, 21_600, 43_200, 86_400, 172_800] as const;
const renderSeconds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 45, 90] as const;

/** Every counter and histogram. Values that are only looked at when somebody asks are in `api/status/read-gauges`. */
export const measures = {
  papergate_http_request_seconds: {
    kind: 'histogram',
    help: 'Duration of HTTP requests, by the template of their route',
    labels: { method: 'bounded', route: 'bounded', status: 'bounded' },
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
  },
  papergate_prepared_seconds: {
    kind: 'histogram',
    help: 'From the acceptance of content to its picture being offered to a frame',
    labels: {},
    buckets: roadSeconds,
  },
  papergate_synced_seconds: {
    kind: 'histogram',
    help: 'Time to glass: from the acceptance of content to the proof that a frame shows it',
    labels: {},
    buckets: roadSeconds,
  },
  papergate_deliveries_total: {
    kind: 'counter',
    help: 'Deliveries that came to this state',
    labels: { state: ['prepared', 'synced', 'failed', 'unconfirmed'] },
  },
  papergate_render_seconds: {
    kind: 'histogram',
    help: 'Duration of renderings of a page, waiting in the queue included',
    labels: { outcome: ['ok', 'failed'] },
    buckets: renderSeconds,
  },
  papergate_picture_seconds: {
    kind: 'histogram',
    help: 'Duration of making the file of a panel out of a picture',
    labels: { outcome: ['ok', 'failed'] },
    buckets: renderSeconds,
  },
  papergate_callback_attempts_total: {
    kind: 'counter',
    help: 'Attempts to send a callback, and how they ended',
    labels: { outcome: ['delivered', 'failed', 'dropped', 'interrupted'] },
  },
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
  papergate_frame_logins_refused_total: {
    kind: 'counter',
    help: 'Logins refused: with wrong credentials, or for the moment because too much is going on',
    labels: { reason: ['credentials', 'busy'] },
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

export type MeasureName = keyof typeof measures;

type NameOf<Kind> = {
  [Name in MeasureName]: (typeof measures)[Name]['kind'] extends Kind ? Name : never;
}[MeasureName];

type LabelsOf<Name extends MeasureName> = {
  readonly [Label in keyof (typeof measures)[Name]['labels']]: (typeof measures)[Name]['labels'][Label] extends readonly (infer Value)[]
    ? Value
    : string;
};

/** Takes what happened. Neither call waits for anything, and neither throws. */
export interface Meter {
  count<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>): void;
  /** @param seconds how long it took; a clock that stepped back makes it 0 */
  time<Name extends NameOf<'histogram'>>(name: Name, seconds: number, labels: LabelsOf<Name>): void;
}
