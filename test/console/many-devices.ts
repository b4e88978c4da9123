/** A fleet of rows: devices whose frames were heard from a moment ago, without a simulated frame behind each. */
import type { ConsoleWorld } from './console-world.ts';

/** Adds so many devices, named `Frame 0`, `Frame 1` and so on, to the organization. */
export async function addDevices(
  { context: { db, clock }, organizationId }: ConsoleWorld,
  count: number,
): Promise<void> {
  const pad = (at: number): string => at.toString(16).padStart(12, '0');
  const now = clock.now();
  const times = { created_at: now, updated_at: now };
  const contact = { last_contact_at: now, asleep_until: now + 3_600_000, battery_mv: 5000, password_hash: 'x' };
  const settled = { reported_version: 1, announced_version: 1, sleep_seconds: 3600, activation: 'activated' };
  const all = Array.from({ length: count }, (_, each) => ({
    serial: `epd7-${pad(each)}`,
    name: `Frame ${each}`,
    each,
  }));
  const frames = all.map(({ serial }) => ({
    serial,
    spelling: serial,
    kind: 'epd7',
    ...contact,
    ...settled,
    ...times,
  }));
  const devices = all.map(({ serial, name, each }) => ({
    id: `00000000ffff${pad(each)}`,
    serial,
    organization_id: organizationId,
    kind: 'epd7',
    name,
    meta: JSON.stringify({ name }),
    details: '{}',
    assignment: 1,
    ...times,
  }));
  await db.transaction(async (trx) => {
    await trx.batchInsert('frames', frames as never, 500);
    await trx.batchInsert('devices', devices as never, 500);
  });
}
