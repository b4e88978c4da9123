/** A wall whose receipts were written and whose days were signed. */

import { signDays, signedLine } from '../../api/record/day-roots.ts';
import { exportRecord } from '../../api/record/export-record.ts';
import { hashOf } from '../../api/record/record-format.ts';
import { recordKeyOf } from '../../api/record/record-key.ts';
import { alone } from '../../cluster/alone.ts';
import { worldKeys } from '../http/world.ts';
import { type RecordWorld, withRecord } from './record-world.ts';

const dayMs = 86_400_000;

/** The world of a wall with receipts. */
export type Wall = RecordWorld & {
  readonly keyDeps: Parameters<typeof signDays>[0];
  /** The receipts of a time as the service gives them out. */
  receipts(from?: number, to?: number): Promise<string>;
};

/** Opens a wall whose frames showed a picture on each of two days, or one, whose roots are signed. */
export const withWall = (
  run: (wall: Wall) => Promise<void>,
  { days = ['monday', 'tuesday'], count = 2 } = {},
): Promise<void> =>
  withRecord(async (world) => {
    const { db, clock, random, dataFolder, organizationId, paperId } = world;
    await db('papers').where({ id: paperId }).update({ name: 'Speisekarte für „Müller“ 🥨' });
    const keyDeps = { db, clock, random, dataFolder, sealKey: worldKeys.seal, single: alone.single };
    const frames = [];
    for (let frame = 0; frame < count; frame++) frames.push(await world.addFrame());
    for (const day of days) {
      await world.submit(day);
      for (const frame of frames) await frame.wakes();
      await world.look();
      clock.passes(dayMs);
      await signDays(keyDeps);
    }
    await run({
      ...world,
      keyDeps,
      async receipts(from = 0, to = clock.now() + dayMs) {
        let text = '';
        for await (const line of exportRecord(keyDeps, { organizationId, from, to })) text += line;
        return text;
      },
    });
  });

/** Signs the end of changed lines as somebody would who has a key. */
export function signedAnew(lines: readonly string[], seed: number): string {
  const key = recordKeyOf(Buffer.alloc(32, seed));
  const body = lines.slice(0, -1).map((line) => {
    const value = JSON.parse(line);
    return 'root' in value ? signedLine('root', { ...value.root, key: key.publicKey }, key) : line;
  });
  const { end } = JSON.parse(lines.at(-1) ?? '');
  const text = `${body.join('\n')}\n`;
  const statement = { ...end, key: key.publicKey, file: hashOf(text), lines: body.length };
  return `${text}${signedLine('end', statement, key)}\n`;
}
