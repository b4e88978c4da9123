/** The fault of a lost database: a backup is taken, and later it is in the place of everything that came since. */
import { adoptAsking } from '../../api/devices/adopt-asking.ts';
import { askersOf } from '../../gateway/adoption/waiting-frames.ts';
import { transact } from '../../runtime/database/database.ts';
import type { Commit } from './machine/commit-log.ts';
import type { DiskBackup } from './machine/disk-backups.ts';
import type { RestoreFault } from './machine/fault-rates.ts';
import type { World } from './world.ts';

/** The interval between checks whether a suitable moment has come. */
const soonMs = 50;
const minuteMs = 60_000;

/** Plans the backup and the restore of a seed within the time of faults, which begins now. */
export function planRestore(world: World, isOver: () => boolean): void {
  const { faultRates, time, judge } = world;
  const fault = faultRates.restore;
  if (fault === undefined) return;
  let backup: DiskBackup | undefined;
  time.after(Math.round(fault.backupAt * faultRates.safetyMs), () =>
    judge.watch((commit) => {
      if (!suits(fault, commit)) return false;
      runAhead(world, fault);
      backup = world.disk.backUp();
      world.trace.note('backup taken');
      return true;
    }),
  );
  const restore = (): void => {
    if (isOver()) return;
    // A start that is under way is not disturbed, and a backup waits for a commit that suits.
    if (backup === undefined || world.node.running() === undefined) return void time.after(soonMs, restore);
    world.node.crash(world.chance.fork('away at the restore').whole(100, 120_000));
    takeOver(world, backup);
    world.trace.note('backup restored');
    readopt(world);
  };
  time.after(Math.round(fault.restoreAt * faultRates.safetyMs), restore);
}

/** Lets the versions of all frames be ahead of the time, as after a clock that was wrong. */
function runAhead({ disk, time }: World, { aheadSeconds }: RestoreFault): void {
  if (aheadSeconds === 0) return;
  disk.sqlite
    .prepare('update frames set announced_version = max(announced_version, ?) where announced_version > 0')
    .run(Math.floor(time.now() / 1000) + aheadSeconds);
}

function suits({ after }: RestoreFault, { uploads }: Commit): boolean {
  if (after === 'any') return true;
  const column = `${after}_at` as const;
  return uploads.some(({ before, after: row }) => row?.[column] != null && row[column] !== before?.[column]);
}

/** Replaces the disk of a service that ended, and notifies the judge and the backends of what is gone. */
export function takeOver({ disk, judge, backends }: World, backup: DiskBackup): void {
  disk.restore(backup);
  judge.restored();
  // A message whose answer came after the backup was received by then, and not accepted.
  const isAccepted = (requestId: string): boolean =>
    (judge.rows.requests.get(requestId)?.state ?? 'receiving') !== 'receiving';
  for (const backend of backends) backend.restored(isAccepted);
}

/** People adopt frames that ask again, because the backup does not know the keys that they have. */
export function readopt(world: World): void {
  const { time, home, node } = world;
  const look = async (): Promise<void> => {
    const running = node.running();
    if (running === undefined) return;
    const { db, clock } = running;
    for (const { serial, dialect } of home.frames) {
      const [asking] = dialect === 'trmnl' ? await askersOf(db, serial) : [];
      if (asking === undefined) continue;
      const adoption = { serial, organization: home.organizationId, asker: asking.asker };
      await transact(db, (trx) => adoptAsking(trx, { clock, random: world.random }, adoption));
    }
  };
  time.after(minuteMs, () => {
    void look();
    readopt(world);
  });
}
