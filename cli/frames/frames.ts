/** `papergate frames`: credentials of frames. Works while serve is running. */

import { adoptFrame, requireAdoptable, requireOrganization } from '../../api/devices/adopt-frame.ts';
import { followFrame } from '../../api/devices/device-of-frame.ts';
import { type DeviceRow, deviceStore } from '../../api/devices/store.ts';
import { takeFrame } from '../../api/retention/end-ownership.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { forgetTickets, ticketLookMs } from '../../gateway/broker/ticket-keys.ts';
import { requireKind } from '../../gateway/frames/frame-kinds.ts';
import { lastAlert } from '../../gateway/frames/read-events.ts';
import { frameRegistry, serialKey } from '../../gateway/frames/registry.ts';
import {
  provisionFrame,
  renewFrame,
  requireSerial,
  writeCredentials,
} from '../../gateway/provisioning/provision-frame.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import { withContext } from '../ground/data-folder.ts';
import { outFolder } from '../ground/out-folder.ts';
import { printResult, printTable, printWarning, shortTime } from '../ground/print.ts';
import { wholeNumberOption } from '../ground/usage.ts';

const dayMs = 86_400_000;
/** An earlier certificate that ends this soon is mentioned. */
const soonMs = 60 * dayMs;
/** An alert of this age says nothing about the frame's present state. */
const alertMs = 7 * dayMs;

interface ProvisionOptions {
  readonly kind?: string;
  readonly organization?: string;
  readonly take?: boolean;
  readonly password?: boolean;
  readonly out: string;
  readonly json?: boolean;
}

/** Provisions a frame and writes its credentials into a folder. */
export async function provision(serial: string, options: ProvisionOptions): Promise<void> {
  requireSerial(serial);
  // A workbench may make the first credentials before the service has run.
  await withContext((context) => provisionIn(context, serial, options), 'may be new');
}

async function provisionIn(context: ServiceContext, serial: string, options: ProvisionOptions): Promise<void> {
  const { organization } = options;
  // The check comes first: a refused command has done nothing.
  if (options.kind !== undefined) requireKind(options.kind);
  const taken = await requireOwner(context, serial, options);
  if (organization !== undefined && taken === undefined) await requireAdoptable(context.db, serial, organization);
  await outFolder('--out', options.out);
  if (taken !== undefined) await takeFrame(context, taken);
  const now = context.clock.now();
  const before = (await frameRegistry(context.db).validCertificates(now)).get(serialKey(serial));
  const deps = { ...context, kindNamed: followFrame };
  const frame = await provisionFrame(deps, { serial, kind: options.kind, withPassword: options.password });
  const written = await writeCredentials(options.out, frame);
  const device = organization === undefined ? undefined : await adoptFrame(context, serial, organization);
  printResult({ serial, kind: frame.kind, ...(device && { deviceId: device.id }), files: written }, options.json);
  if (before !== undefined && before.firstEndAt < now + soonMs) {
    printWarning(
      `An earlier certificate of ${serial} ends at ${shortTime(before.firstEndAt)}: the frame needs the new one before.`,
    );
  }
}

/**
 * Refuses credentials for a frame of an organization that the operator did not name: its board would become the device of
 * the one who claimed the serial first (T-79).
 * @returns the device that is to be taken from another organization first
 */
async function requireOwner(
  { db }: ServiceContext,
  serial: string,
  { organization, take }: ProvisionOptions,
): Promise<DeviceRow | undefined> {
  if (organization !== undefined) await requireOrganization(db, organization);
  const device = await deviceStore(db).findBySerial(serialKey(serial));
  if (device === undefined || device.organization_id === organization) return undefined;
  if (take === true) return device;
  const { id, name } = await requireOrganization(db, device.organization_id);
  throw refuse('frame-taken', {
    message: `${serial} is a device of the organization ${name} (${id})`,
    hint: `if the board is theirs, add --organization ${id}; if not, add --take: their device ends, with every credential they made for it`,
  });
}

/** Gives a frame a new certificate, and prints how long the ones it holds are valid. */
export async function renew(
  serial: string,
  options: { out: string; overlapDays: string; json?: boolean },
): Promise<void> {
  const overlapMs = wholeNumberOption('--overlap-days', options.overlapDays, 0, 3650) * dayMs;
  await withContext(async (context) => {
    await outFolder('--out', options.out);
    const frame = await renewFrame(context, { serial, overlapMs });
    const files = await writeCredentials(options.out, frame);
    printResult({ serial: frame.serial, earlierUntil: shortTime(frame.earlierEndAt), files }, options.json);
  });
}

/**
 * Lists the provisioned frames, each with its logins (valid certificates, when the first and the last of them end, a
 * password) and its last problem: events of a frame that is registered with nobody are shown nowhere else.
 */
export async function listFrames(options: { json?: boolean }): Promise<void> {
  await withContext(async (context) => {
    const registry = frameRegistry(context.db);
    const now = context.clock.now();
    const valid = await registry.validCertificates(now);
    const frames = await registry.list();
    const alerts = new Map<string, Awaited<ReturnType<typeof lastAlert>>>();
    for (const { serial } of frames) alerts.set(serial, await lastAlert(context.db, serial, now - alertMs));
    const rows = frames.map((frame) => ({
      serial: frame.spelling,
      kind: frame.kind,
      dialect: frame.dialect,
      activation: frame.activation,
      lastContact: frame.last_contact_at === null ? null : isoTime(frame.last_contact_at),
      certificates: valid.get(frame.serial)?.count ?? 0,
      expires: shortTime(valid.get(frame.serial)?.firstEndAt),
      lastExpires: shortTime(valid.get(frame.serial)?.lastEndAt),
      password: frame.password_hash === null ? 'no' : 'yes',
      trouble: wordsOf(alerts.get(frame.serial)?.problem ?? []) || null,
      troubleAt: shortTime(alerts.get(frame.serial)?.at),
    }));
    const columns = [
      'serial',
      'kind',
      'dialect',
      'activation',
      'lastContact',
      'certificates',
      'expires',
      'lastExpires',
      'password',
      'trouble',
      'troubleAt',
    ];
    printTable(rows, columns, options.json);
  });
}

/** Revokes every credential of a frame. A running service notices at the frame's next message. */
export async function revoke(serial: string, options: { json?: boolean }): Promise<void> {
  await withContext(async (context) => {
    const registry = frameRegistry(context.db);
    if ((await registry.find(serial)) === undefined) throw refuse('unknown-frame');
    printResult({ serial, revoked: await registry.revoke(serial, context.clock.now()) }, options.json);
  });
}

/** Ends every TLS session that frames keep over their sleep (T-120). A running service notices within a minute. */
export async function forgetKeptSessions(options: { json?: boolean }): Promise<void> {
  await withContext(async ({ db, clock, random }) => {
    await forgetTickets(db, { now: clock.now(), random });
    printResult(
      { forgottenAt: isoTime(clock.now()), runningServicesNoticeWithinSeconds: ticketLookMs / 1000 },
      options.json,
    );
  });
}
