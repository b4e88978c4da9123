/**
 * The home of a run, which exists before the run begins: an organization with its members and its registered frames.
 */
import type { Principal } from '../../api/access/principal.ts';
import { adoptAsking } from '../../api/devices/adopt-asking.ts';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { kindOfSerial, type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { transact } from '../../runtime/database/database.ts';
import type { Random } from '../../runtime/random.ts';
import type { AnyFrame, Behaviour } from '../../simulator/dialects/any-frame.ts';
import { newClassicFrame } from '../../simulator/dialects/classic/classic-state.ts';
import { newNativeFrame } from '../../simulator/dialects/native/native-state.ts';
import {
  newOfflineFrame,
  type OfflineFirmware,
  offlineStates,
} from '../../simulator/dialects/offline/offline-state.ts';
import { type TrmnlVersion, trmnlVersions } from '../../simulator/dialects/trmnl/trmnl-firmware.ts';
import { newTrmnlFrame } from '../../simulator/dialects/trmnl/trmnl-state.ts';
import { newFrame } from '../../simulator/frame/frame.ts';
import type { Chance } from './machine/chance.ts';
import { smallPanel } from './machine/drawing.ts';
import type { FaultRates } from './machine/fault-rates.ts';
import { addresses } from './machine/modelled-outside.ts';
import type { Running } from './service-node.ts';

/** A frame that hangs in the home. */
export interface HungFrame {
  readonly serial: string;
  readonly deviceId: string;
  readonly dialect: 'native' | 'classic' | 'trmnl' | 'offline';
  /** Name of its panel. */
  readonly kind: string;
  /** The firmware of a frame that polls. */
  readonly version?: TrmnlVersion;
  /** The state of the offline firmware. */
  readonly state?: OfflineFirmware;
  /** True for a panel that never changes, which no firmware can know. */
  readonly isStuck: boolean;
  readonly password: string;
  /** The sleep that its owner set over Bluetooth, in seconds. */
  readonly toldSeconds?: number;
  readonly behaviours: readonly (string | Behaviour)[];
  /** Whether it does now what its firmware does; when absent a frame without behaviours does. */
  readonly isHealthy?: () => boolean;
  /** True for a frame without misbehaviour and without a clone: only such a frame has to show everything in the end. */
  readonly isHonest: boolean;
  readonly hasClone: boolean;
}

/** A frame that is to hang in the home. */
export type PlannedFrame = Omit<HungFrame, 'deviceId' | 'password'> & {
  /** The sleep that the service sends it. */
  readonly sleepSeconds: number;
};

/** The plan of a home: its frames, and the number of its members, at least one. */
export interface HomePlan {
  readonly members: number;
  readonly frames: readonly PlannedFrame[];
}

/** The organization of a run. */
export interface Home {
  readonly organizationId: string;
  readonly owner: Principal;
  /** The members of the organization: one for each connection that a paper may have. */
  readonly members: readonly Principal[];
  readonly frames: readonly HungFrame[];
}

/** The orientation of every paper and every frame of the simulation. */
export const orientation: Orientation = 'landscape';

/** The address of the integration's manifest; nothing is fetched from it. */
export const manifestUrl = 'https://integration.test/manifest.json';

/** Returns the settings of a paper with its integration, whose page depends on the version. */
export function pluginMeta(version: number): Record<string, unknown> {
  return {
    orientation,
    pluginConfigUrl: manifestUrl,
    pluginManifest: {
      name: 'Postcards',
      settingsPage: './settings',
      renderPage: `./render-${version}`,
      capabilities: { contentPush: { callbackPath: './hooks/status' } },
    },
  };
}

const behaviours = ['liar', 'half-download', 'replayer'] as const;

/** Draws the home of a seed. */
export function drawHome(faultRates: FaultRates, chance: Chance): HomePlan {
  const { native, classic, sleepSeconds, polled } = faultRates;
  const frames: PlannedFrame[] = [];
  for (let at = 0; at < native + classic; at++) {
    const dialect = at < native ? 'native' : 'classic';
    const serial = `${at % 3 === 2 ? 'epd13' : 'epd7'}-${String(at).padStart(12, '0')}`;
    const bad = at > 0 && chance.hits(faultRates.dishonest) ? [chance.pick(behaviours)] : [];
    const hasClone = chance.hits(faultRates.clones);
    const isHonest = bad.length === 0 && !hasClone;
    const kind = kindOfSerial(serial) ?? '';
    frames.push({ serial, dialect, kind, isStuck: false, behaviours: bad, isHonest, hasClone, sleepSeconds });
  }
  const ofPolled = chance.fork('polled frames');
  for (let at = 0; at < polled.frames; at++) {
    const serial = `trmnl-${String(at + 1).padStart(12, '0')}`;
    const version = ofPolled.pick(trmnlVersions);
    const kind = version === '1.5.2' ? 'trmnl2' : 'trmnl4';
    const isStuck = ofPolled.hits(polled.stuck);
    const healthy = { behaviours: [], isHonest: !isStuck, hasClone: false, sleepSeconds };
    frames.push({ serial, dialect: 'trmnl', kind, version, isStuck, ...healthy });
  }
  const ofOffline = chance.fork('offline firmware');
  for (let at = 0; at < faultRates.offlineFrames; at++) {
    const serial = `offline-${String(at + 1).padStart(12, '0')}`;
    const state = ofOffline.pick(offlineStates);
    const kind = ofOffline.pick(['offline7', 'offline13']);
    // State A names no tag: what it shows is never proven.
    const healthy = { behaviours: [], isStuck: false, isHonest: state !== 'A', hasClone: false, sleepSeconds };
    frames.push({ serial, dialect: 'offline', kind, state, ...healthy });
  }
  return { members: faultRates.connectionsPerPaper, frames };
}

/** Builds the home with the service's own code. */
export async function createHome(
  { db, clock }: Pick<Running, 'db' | 'clock'>,
  plan: HomePlan,
  random: Random,
): Promise<Home> {
  const context = { db, clock, random };
  const people: Principal[] = [];
  const admin = { name: 'Ada', email: 'ada@example.org' };
  const made = await createOrganization(db, context, { name: 'Home', email: admin.email, kind: null, admin });
  const { organizationId } = made;
  people.push(principal(made, organizationId));
  for (let member = 1; member < plan.members; member++) {
    people.push(principal(await addMember(context, organizationId, member), organizationId));
  }
  const frames: HungFrame[] = [];
  for (const frame of plan.frames) frames.push(await hangFrame(context, organizationId, frame));
  return { organizationId, owner: people[0] as Principal, members: people, frames };
}

type HomeContext = Pick<Running, 'db' | 'clock'> & { readonly random: Random };

/** Hangs a frame. One that polls is adopted, and comes for its key by itself. */
async function hangFrame(
  context: HomeContext,
  organization: string,
  { sleepSeconds, ...frame }: PlannedFrame,
): Promise<HungFrame> {
  const { serial, kind } = frame;
  const { db, clock, random } = context;
  const registry = frameRegistry(db);
  if (frame.dialect === 'trmnl') {
    const { id: deviceId } = await transact(db, (trx) =>
      adoptAsking(trx, context, { serial, kind, organization, paper: null }),
    );
    await registry.change(serial, { sleep_seconds: sleepSeconds }, clock.now());
    return { ...frame, deviceId, password: '' };
  }
  await registry.provision(serial, frame.dialect === 'offline' ? kind : undefined, clock.now());
  const password = random.secret(32);
  await registry.setPassword(serial, password, clock.now());
  await registry.change(serial, { sleep_seconds: sleepSeconds }, clock.now());
  const device = await adoptFrame(context, serial, organization);
  return { ...frame, deviceId: device.id, password, toldSeconds: sleepSeconds };
}

function principal(made: { userId: string; accountId: string }, organizationId: string): Principal {
  const { userId, accountId } = made;
  return { accountId, memberships: [{ userId, organizationId, role: 'admin', name: 'Ada' }] };
}

async function addMember(
  { db, clock, random }: Pick<Running, 'db' | 'clock'> & { random: Random },
  organizationId: string,
  number: number,
): Promise<{ userId: string; accountId: string }> {
  const accountId = random.id();
  const userId = random.id();
  const times = { created_at: clock.now(), updated_at: clock.now() };
  const email = `member${number}@example.org`;
  await db('accounts').insert({ id: accountId, subject: accountId, email, ...times });
  await db('users').insert({
    id: userId,
    account_id: accountId,
    organization_id: organizationId,
    name: 'Member',
    email,
    role: 'admin',
    meta: '{}',
    ...times,
  });
  return { userId, accountId };
}

/** Returns the state of a frame's device as it leaves the factory. */
export function freshFrame(frame: HungFrame): AnyFrame {
  const panel = panelOfKind(frame.kind);
  if (panel === undefined) throw new Error(`no panel for ${frame.serial}`);
  const firmware = frame.dialect === 'native' ? '1.0.0' : '3.0.21';
  const flash = newFrame({ serial: frame.serial, panel: smallPanel(panel), orientation, firmware, rssi: -60 });
  if (frame.dialect === 'trmnl') {
    const { version = '1.8.15', isStuck } = frame;
    const size = { width: panel.width, height: panel.height };
    return newTrmnlFrame(flash, { version, baseUrl: addresses.polledUrl, model: 'og', size, isStuck });
  }
  if (frame.dialect === 'offline') {
    const { password, serial: user, state = 'C' } = frame;
    const address = `${addresses.publicUrl}/offline/${user}`;
    return newOfflineFrame(flash, { state, login: { address, user, password }, interval: frame.toldSeconds ?? 3600 });
  }
  return frame.dialect === 'native' ? newNativeFrame(flash) : newClassicFrame(flash, addresses.frameUrl);
}
