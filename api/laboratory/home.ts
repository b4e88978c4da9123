/** What stands before a run begins: an organization, its papers, registered frames, and connected integrations. */
import { kindOfSerial, type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import type { AnyFrame } from '../../simulator/behaviours.ts';
import { newClassicFrame } from '../../simulator/classic-state.ts';
import { newFrame } from '../../simulator/frame.ts';
import { newNativeFrame } from '../../simulator/native-state.ts';
import { adoptFrame } from '../devices/adopt-frame.ts';
import { createOrganization } from '../directory/create-organization.ts';
import type { Principal } from '../directory/principal.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';
import { smallPanel } from './drawing.ts';
import { addresses, type Running } from './node.ts';

/** A frame as it is hung up. */
export interface HungFrame {
  readonly serial: string;
  readonly deviceId: string;
  readonly dialect: 'native' | 'classic';
  readonly password: string;
  readonly behaviours: readonly string[];
  /** Hangs here and says what it does: liveness is owed to it. */
  readonly isHonest: boolean;
  readonly hasClone: boolean;
}

export interface Home {
  readonly organizationId: string;
  readonly owner: Principal;
  /** Members, one for each connection that a paper may have. */
  readonly members: readonly Principal[];
  readonly frames: readonly HungFrame[];
}

/** How everything hangs here. */
export const orientation: Orientation = 'landscape';

export const manifestUrl = 'https://integration.test/manifest.json';

/** The saved integration of a paper. */
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

/** Builds the home through the service's own rooms. */
export async function furnish(
  { db, clock }: Pick<Running, 'db' | 'clock'>,
  climate: Climate,
  random: Random,
  chance: Chance,
): Promise<Home> {
  const house = { db, clock, random };
  const people: Principal[] = [];
  const admin = { name: 'Ada', email: 'ada@example.org' };
  const made = await createOrganization(db, house, { name: 'Home', email: admin.email, kind: null, admin });
  const { organizationId } = made;
  people.push(principal(made, organizationId));
  for (let member = 1; member < climate.connectionsPerPaper; member++) {
    people.push(principal(await addMember(house, organizationId, member), organizationId));
  }
  const frames: HungFrame[] = [];
  for (let at = 0; at < climate.native + climate.classic; at++) {
    const dialect = at < climate.native ? 'native' : 'classic';
    const serial = `${at % 3 === 2 ? 'epd13' : 'epd7'}-${String(at).padStart(12, '0')}`;
    const registry = frameRegistry(db);
    await registry.provision(serial, undefined, clock.now());
    const password = random.secret(32);
    await registry.setPassword(serial, password, clock.now());
    await registry.change(serial, { sleep_seconds: climate.sleepSeconds }, clock.now());
    const device = await adoptFrame(house, serial, organizationId);
    const bad = at > 0 && chance.hits(climate.dishonest) ? [chance.pick(behaviours)] : [];
    const hasClone = chance.hits(climate.clones);
    const isHonest = bad.length === 0 && !hasClone;
    frames.push({ serial, deviceId: device.id, dialect, password, behaviours: bad, isHonest, hasClone });
  }
  return {
    organizationId,
    owner: people[0] as Principal,
    members: people,
    frames,
  };
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
    ...{ id: userId, account_id: accountId, organization_id: organizationId, name: 'Member', email, role: 'admin' },
    ...{ meta: '{}', ...times },
  });
  return { userId, accountId };
}

/** The device that a frame is, fresh from the factory. */
export function freshFrame(frame: HungFrame): AnyFrame {
  const panel = panelOfKind(kindOfSerial(frame.serial) ?? '');
  if (panel === undefined) throw new Error(`no panel for ${frame.serial}`);
  const firmware = frame.dialect === 'native' ? '1.0.0' : '3.0.21';
  const flash = newFrame({ serial: frame.serial, panel: smallPanel(panel), orientation, firmware, rssi: -60 });
  return frame.dialect === 'native' ? newNativeFrame(flash) : newClassicFrame(flash, addresses.frameUrl);
}
