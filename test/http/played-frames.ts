/** The frames' side as a test plays it: who is provisioned, who is active, and what is known of them. */

import type { FrameFacts, Frames } from '../../api/routes/devices/frames.ts';
import type { ImageDeps } from '../../api/routes/devices/image-deps.ts';
import type { CommandOutcome, CommandRequest } from '../../gateway/commands/command-frame.ts';
import type { Ping } from '../../gateway/commands/ping-frame.ts';
import { offlineDialect } from '../../gateway/dialects/offline/offline.ts';
import { traitsAmong } from '../../gateway/frames/dialect-traits.ts';
import { revokeOwned } from '../../gateway/frames/owned-credentials.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { type LastOffer, lastOffer, lastShown, offeredPicture } from '../../gateway/pictures/last-offer.ts';
import { offerPicture } from '../../gateway/pictures/offer-picture.ts';
import { issueCredentials } from '../../gateway/provisioning/provision-frame.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';

interface PlayedDeps {
  readonly db: Database;
  readonly pictures: DurableFolder;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the authority of the frames is; made when the first credentials are. */
  readonly dataFolder: string;
}

export interface PlayedFrames
  extends Frames,
    Pick<ImageDeps['frames'], 'lastShown' | 'offeredPicture' | 'storePicture' | 'offerPicture' | 'announce'> {
  /** Serials to which a picture was announced at once, in order. */
  readonly told: string[];
  /** Serials that are provisioned, with whether they are somebody's. */
  readonly active: Map<string, boolean>;
  readonly facts: Map<string, FrameFacts>;
  /** The evidence of the last picture that a frame was offered, by serial. */
  readonly evidence: Map<string, Evidence>;
  /** The settings that people made, by serial. */
  readonly configured: Map<string, unknown>;
  /** Serials to which settings were sent at once, in order. */
  readonly announced: string[];
  /** The requests to frames, in order. */
  readonly asked: { readonly serial: string; readonly options: CommandRequest | { readonly waitForData: boolean } }[];
  readonly outcomes: Map<string, CommandOutcome>;
  readonly pings: Map<string, Ping>;
  /** The last offers of frames, by serial. */
  readonly offers: Map<string, LastOffer>;
  lastOffer(serial: string): Promise<LastOffer | undefined>;
  provision(serial: string, facts?: Partial<FrameFacts>): Promise<void>;
}

export function playFrames({ db, pictures, clock, random, dataFolder }: PlayedDeps): PlayedFrames {
  const active = new Map<string, boolean>();
  const evidence: PlayedFrames['evidence'] = new Map();
  const facts = new Map<string, FrameFacts>();
  const configured = new Map<string, unknown>();
  const announced: string[] = [];
  const asked: PlayedFrames['asked'] = [];
  const outcomes = new Map<string, CommandOutcome>();
  const pings = new Map<string, Ping>();
  const offers = new Map<string, LastOffer>();
  const told: string[] = [];
  const reading = { db, pictures, clock, logger: silentLogger, lost: () => {} };
  return {
    asked,
    outcomes,
    pings,
    offers,
    told,
    lastOffer: async (serial) => (await lastOffer(reading, serial)) ?? offers.get(serial),
    lastShown: (serial) => lastShown(reading, serial),
    offeredPicture: (serial, id) => offeredPicture(reading, serial, id),
    storePicture: (file) => pictures.put(file),
    offerPicture: (trx, picture) => offerPicture(trx, picture, { now: clock.now(), random }),
    async announce(serial) {
      told.push(serial);
    },
    async command(serial, options) {
      asked.push({ serial, options });
      return outcomes.get(serial);
    },
    async ping(serial, how) {
      asked.push({ serial, options: how });
      return pings.get(serial);
    },
    active,
    facts,
    configured,
    announced,
    async provision(serial, given = {}) {
      const { kind } = await frameRegistry(db).provision(serial, given.kind, 1);
      const known = { ...neverHeardOf, ...given, kind };
      active.set(serial, false);
      facts.set(serial, known);
      await frameRegistry(db).change(serial, { battery_mv: known.batteryMv }, 1);
    },
    connected: () => [...facts].flatMap(([serial, { status }]) => (status === 'online' ? [serial] : [])),
    connection: (serial) => (facts.get(serial)?.status === 'online' ? { awake: true } : undefined),
    evidence,
    traitsOf: traitsAmong({
      native: {
        traits: { knowsDigests: true, probesFirst: false, proves: 'reported', provesAtOnce: true, knowsCommands: true },
      },
      classic: {
        traits: {
          knowsDigests: false,
          probesFirst: true,
          proves: 'reported',
          provesAtOnce: true,
          knowsCommands: false,
        },
      },
      offline: offlineDialect,
    }),
    newestEvidence: async (serial) => evidence.get(serial),
    status: async (serial) => facts.get(serial),
    async activate(trx, serial) {
      const before = active.get(serial);
      if (before !== false) return before === undefined ? 'unknown' : 'active';
      active.set(serial, true);
      if (facts.get(serial)?.status === 'error') {
        await frameRegistry(trx).change(serial, { last_failure: 'as played' }, 1);
      }
      return 'activated';
    },
    async configure(_trx, serial, settings) {
      configured.set(serial, settings);
      return true;
    },
    async announceSettings(serial) {
      announced.push(serial);
    },
    issueCredentials: (serial, withPassword) =>
      issueCredentials({ db, clock, random, dataFolder }, serial, withPassword),
    brokerAddress: () => ({ host: 'frames.example', port: 8883 }),
    baseAddress: () => 'http://frames.example/trmnl',
    pollAddress: (serial) => `http://frames.example/plain/${serial}`,
    polledBase: () => 'http://frames.example',
    async release(trx, serial) {
      active.set(serial, false);
      await revokeOwned(trx, serial, clock.now());
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
  firmwareLatest: null,
  fileVersion: 0,
  pictureSynced: null,
  updatePending: false,
  sleepSeconds: 3600,
  keptSleepSeconds: null,
  changesAt: [],
  toldSleep: null,
  kind: 'epd7',
  dialect: null,
  panel: null,
  isSimulated: false,
};
