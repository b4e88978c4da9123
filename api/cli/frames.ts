/** `papergate frames`: credentials of frames. Works beside a running serve. */

import { requireKind } from '../../gateway/frames/frame-kinds.ts';
import { provisionFrame, renewFrame, requireSerial, writeCredentials } from '../../gateway/frames/provision-frame.ts';
import { lastAlert } from '../../gateway/frames/read-events.ts';
import { frameRegistry, serialKey } from '../../gateway/frames/registry.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { adoptFrame, requireAdoptable } from '../devices/adopt-frame.ts';
import { followFrame } from '../devices/device-of-frame.ts';
import type { House } from '../house.ts';
import { outFolder } from './out-folder.ts';
import { printResult, printTable, printWarning, shortTime } from './print.ts';
import { withHouse } from './setup.ts';
import { wholeNumber } from './usage.ts';

const dayMs = 86_400_000;
/** An earlier certificate that ends this soon is worth a word. */
const soonMs = 60 * dayMs;
/** An alert this old says nothing of how a frame fares now. */
const alertMs = 7 * dayMs;

/** Provisions a frame and writes its credentials into a folder. */
export async function provision(
  serial: string,
  options: { kind?: string; organization?: string; password?: boolean; out: string; json?: boolean },
): Promise<void> {
  requireSerial(serial);
  // A bench may make the first credentials before the service has run.
  await withHouse((house) => provisionIn(house, serial, options), 'may be new');
}

async function provisionIn(
  house: House,
  serial: string,
  options: { kind?: string; organization?: string; password?: boolean; out: string; json?: boolean },
): Promise<void> {
  const { organization } = options;
  // Checked first: what is refused has done nothing.
  if (options.kind !== undefined) requireKind(options.kind);
  if (organization !== undefined) await requireAdoptable(house.db, serial, organization);
  await outFolder('--out', options.out);
  const now = house.clock.now();
  const before = (await frameRegistry(house.db).validCertificates(now)).get(serialKey(serial));
  const edges = { ...house, kindNamed: followFrame };
  const frame = await provisionFrame(edges, { serial, kind: options.kind, withPassword: options.password });
  const written = await writeCredentials(options.out, frame);
  const device = organization === undefined ? undefined : await adoptFrame(house, serial, organization);
  printResult({ serial, kind: frame.kind, ...(device && { deviceId: device.id }), files: written }, options.json);
  if (before !== undefined && before.firstEndAt < now + soonMs) {
    printWarning(
      `An earlier certificate of ${serial} ends at ${shortTime(before.firstEndAt)}: the frame needs the new one before.`,
    );
  }
}

/** Gives a frame a new certificate, and says until when the ones it holds are good. */
export async function renew(
  serial: string,
  options: { out: string; overlapDays: string; json?: boolean },
): Promise<void> {
  const overlapMs = wholeNumber('--overlap-days', options.overlapDays, 0, 3650) * dayMs;
  await withHouse(async (house) => {
    await outFolder('--out', options.out);
    const frame = await renewFrame(house, { serial, overlapMs });
    const files = await writeCredentials(options.out, frame);
    printResult({ serial: frame.serial, earlierUntil: shortTime(frame.earlierEndAt), files }, options.json);
  });
}

/**
 * Lists what is provisioned, what each frame can log in with (valid certificates, when the first and the last of them
 * end, a password), and its last trouble: events of a frame that is registered with nobody are shown nowhere else.
 */
export async function list(options: { json?: boolean }): Promise<void> {
  await withHouse(async (house) => {
    const registry = frameRegistry(house.db);
    const now = house.clock.now();
    const valid = await registry.validCertificates(now);
    const frames = await registry.list();
    const alerts = new Map<string, Awaited<ReturnType<typeof lastAlert>>>();
    for (const { serial } of frames) alerts.set(serial, await lastAlert(house.db, serial, now - alertMs));
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
      trouble: alerts.get(frame.serial)?.problem ?? null,
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

/** Revokes every credential of a frame. A running service notices at the frame's next word. */
export async function revoke(serial: string, options: { json?: boolean }): Promise<void> {
  await withHouse(async (house) => {
    const registry = frameRegistry(house.db);
    if ((await registry.find(serial)) === undefined) throw refuse('unknown-frame');
    printResult({ serial, revoked: await registry.revoke(serial, house.clock.now()) }, options.json);
  });
}
