/** `papergate frames`: credentials of frames. Works beside a running serve. */
import { provisionFrame, writeCredentials } from '../../gateway/frames/provision-frame.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { adoptFrame } from '../devices/adopt-frame.ts';
import { printResult, printTable } from './print.ts';
import { withHouse } from './setup.ts';

/** Provisions a frame and writes its credentials into a folder. */
export async function provision(
  serial: string,
  options: { kind?: string; organization?: string; password?: boolean; out: string; json?: boolean },
): Promise<void> {
  await withHouse(async (house) => {
    const frame = await provisionFrame(house, { serial, kind: options.kind, withPassword: options.password });
    const written = await writeCredentials(options.out, frame);
    const { organization } = options;
    const device = organization === undefined ? undefined : await adoptFrame(house, serial, organization);
    printResult({ serial, kind: frame.kind, ...(device && { deviceId: device.id }), files: written }, options.json);
  });
}

/** Lists what is provisioned. */
export async function list(options: { json?: boolean }): Promise<void> {
  await withHouse(async (house) => {
    const rows = (await frameRegistry(house.db).list()).map((frame) => ({
      serial: frame.spelling,
      kind: frame.kind,
      dialect: frame.dialect,
      activation: frame.activation,
      lastContact: frame.last_contact_at === null ? null : isoTime(frame.last_contact_at),
    }));
    printTable(rows, ['serial', 'kind', 'dialect', 'activation', 'lastContact'], options.json);
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
