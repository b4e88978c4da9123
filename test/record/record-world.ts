/** A delivery line whose frames' walls are recorded. */
import { type IntervalRow, intervalsIn } from '../../api/record/intervals.ts';
import { recordWall } from '../../api/record/keep-record.ts';
import type { KeepRecordDeps } from '../../api/record/write-interval.ts';
import { alone } from '../../cluster/alone.ts';
import { type LineWorld, withLine } from '../delivery/delivery-world.ts';

/** A line with its record. Times are epoch milliseconds. */
export interface RecordWorld extends LineWorld {
  readonly recordDeps: KeepRecordDeps;
  /** Looks what is new, a minute after it came about. */
  look(): Promise<number>;
  /** All intervals of the organization, as they began. */
  intervals(): Promise<readonly IntervalRow[]>;
  /** `1 Menu named hangs`, one a line: the frame, its title, the grade, and how it ended. */
  told(): Promise<string[]>;
}

/** Opens the world, runs the test, and closes it. */
export function withRecord(run: (world: RecordWorld) => Promise<void>): Promise<void> {
  return withLine(async (world) => {
    const { db, clock, random, gateway, organizationId } = world;
    const recordDeps = { db, clock, random, single: alone.single, traitsOf: gateway.traitsOf };
    const intervals = () => intervalsIn(db, { organizationId, from: 0, to: clock.now() + 1 }, { limit: 1_000 });
    await run({
      ...world,
      recordDeps,
      intervals,
      async look() {
        clock.passes(60_000);
        return recordWall(recordDeps);
      },
      told: async () =>
        (await intervals()).map(({ title, serial, ended, grade }) =>
          [serial.slice(-1), title, grade, ended ?? 'hangs'].join(' '),
        ),
    });
  });
}
