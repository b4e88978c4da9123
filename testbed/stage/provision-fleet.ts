/** Makes the frames of a simulated fleet known to the service, some dozens at a time. */
import { adoptAsking, adoptAtOnce } from '../../api/devices/adopt-asking.ts';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { forgetOtherCertificates } from '../../gateway/frames/owned-credentials.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import type { Authority } from '../../gateway/identity/authority.ts';
import { authorityOfFrames } from '../../gateway/identity/authority-of-frames.ts';
import { registerSerial, storeKey, storeProvisioned } from '../../gateway/provisioning/provision-frame.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { offlineStates } from '../../simulator/dialects/offline/offline-state.ts';
import { trmnlVersions } from '../../simulator/dialects/trmnl/trmnl-firmware.ts';
import type { BrokerFrame, FleetFrame, OfflineFrame, PolledFrame } from '../../simulator/fleet/fleet.ts';
import type { SimulatedCredentials } from '../../simulator/frame/credentials.ts';

/** A frame of the plan. */
export interface PlannedMember {
  readonly serial: string;
  readonly dialect: FleetFrame['dialect'];
  readonly behaviours?: readonly string[];
  /** Its place in the fleet, which determines the firmware of one that polls; the first one when absent. */
  readonly at?: number;
}

/** How frames are made known. */
export interface ProvisionOptions {
  /** The organization that they are registered with, if any. */
  readonly organization?: string | undefined;
  /** How they log in: a key with its certificate takes a hundred times as long to make as a password. */
  readonly login: 'certificate' | 'password';
  /** Called after each part of the fleet. */
  readonly done?: (frames: number) => void;
}

/** How many frames share a commit, few enough that the service never waits long for the database. */
const atOnce = 50;

/** Makes frames known, or has those that poll adopted: they come for their key by themselves. */
export async function provisionFleet(
  context: ServiceContext,
  planned: readonly PlannedMember[],
  options: ProvisionOptions,
): Promise<FleetFrame[]> {
  const authority = await authorityOfFrames(context, context.clock.now());
  const frames: FleetFrame[] = [];
  for (let at = 0; at < planned.length; at += atOnce) {
    const part = planned.slice(at, at + atOnce);
    const polled = part.flatMap((frame) => (frame.dialect === 'trmnl' ? polledFrame(frame) : []));
    const offline = await provisionOffline(context, part);
    frames.push(...polled, ...offline, ...(await provisionPart(context, part, { ...options, authority })));
    if (options.organization !== undefined) await registerPart(context, part, polled, options.organization);
    options.done?.(Math.min(planned.length, at + atOnce));
  }
  return frames;
}

/** Credentials that were made, and how they are stored. */
interface MadeCredentials {
  readonly credentials: SimulatedCredentials;
  readonly store: (trx: Transaction) => Promise<unknown>;
}

async function provisionPart(
  context: ServiceContext,
  part: readonly PlannedMember[],
  { authority, login }: ProvisionOptions & { readonly authority: Authority },
): Promise<BrokerFrame[]> {
  const make = login === 'password' ? makePassword : makeCertificate;
  const made = await Promise.all(
    part.map(async ({ serial, dialect, behaviours = [] }) => {
      if (dialect === 'trmnl' || dialect === 'offline') return [];
      return [{ serial, dialect, behaviours, ...(await make(context, serial, authority)) }];
    }),
  );
  const frames = made.flat();
  await transact(context.db, async (trx) => {
    for (const { serial, store } of frames) {
      await registerSerial(trx, context, { serial });
      await store(trx);
    }
  });
  return frames.map(({ store: _, ...frame }) => frame);
}

async function makePassword(context: ServiceContext, serial: string): Promise<MadeCredentials> {
  const password = context.random.secret(32);
  return {
    credentials: { kind: 'password', password },
    store: (trx) => storeKey(trx, context, { serial, key: password }, null),
  };
}

async function makeCertificate(
  context: ServiceContext,
  serial: string,
  { root, issueFrame }: Authority,
): Promise<MadeCredentials> {
  const issued = { serial, root, password: undefined, ...(await issueFrame(serial, context.clock.now())) };
  const { key, certificate, fingerprint } = issued;
  return {
    credentials: { kind: 'certificate', key, cert: certificate, ca: root },
    async store(trx) {
      await storeProvisioned(trx, context, issued);
      // The key of an earlier start was in the memory of that process alone.
      await forgetOtherCertificates(trx, serial, fingerprint);
    },
  };
}

async function registerPart(
  context: ServiceContext,
  part: readonly PlannedMember[],
  polled: readonly PolledFrame[],
  organization: string,
): Promise<void> {
  const known = part.filter(({ dialect }) => dialect !== 'trmnl');
  await Promise.all(known.map(({ serial }) => adoptFrame(context, serial, organization)));
  for (const { serial, kind } of polled) {
    await adoptAtOnce(context.db, (trx) => adoptAsking(trx, context, { serial, kind, organization }));
  }
}

/** Makes frames with the offline firmware known: each has a password, and the next state of the firmware. */
async function provisionOffline(context: ServiceContext, part: readonly PlannedMember[]): Promise<OfflineFrame[]> {
  const frames = part.flatMap(({ at = 0, serial, behaviours = [], dialect }): OfflineFrame[] => {
    if (dialect !== 'offline') return [];
    const state = offlineStates.at(-1 - (at % offlineStates.length)) ?? 'C';
    const password = context.random.secret(32);
    return [{ serial, behaviours, dialect, state, password, kind: at % 3 === 2 ? 'offline13' : 'offline7' }];
  });
  await transact(context.db, async (trx) => {
    for (const { serial, kind, password } of frames) {
      await registerSerial(trx, context, { serial, kind });
      await storeKey(trx, context, { serial, key: password }, null);
      await frameRegistry(trx).change(serial, { dialect: 'offline' }, context.clock.now());
    }
  });
  return frames;
}

function polledFrame({ at = 0, serial, behaviours = [] }: PlannedMember): PolledFrame {
  const version = trmnlVersions.at(-1 - (at % trmnlVersions.length)) ?? '1.8.15';
  return { serial, behaviours, dialect: 'trmnl', version, kind: version === '1.5.2' ? 'trmnl2' : 'trmnl4' };
}
