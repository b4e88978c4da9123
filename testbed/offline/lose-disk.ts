/** The fault of a lost disk: it is thrown away, and the service comes back from its archive as it was at a moment. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { readSpans, type WayTo, wayTo } from '../../runtime/archive/archive-moments.ts';
import { archivedFiles } from '../../runtime/archive/follow-files.ts';
import { openArchive } from '../../runtime/archive/open-archive.ts';
import { rebuildDatabase } from '../../runtime/archive/rebuild-database.ts';
import { sha256Of } from '../../runtime/digest.ts';
import { followService } from './archive-service.ts';
import { type ArchiveJudge, archiveJudge } from './judge-archive.ts';
import { type ArchiveStore, archiveStore } from './machine/archive-store.ts';
import type { DiskBackup } from './machine/disk-backups.ts';
import { type ArchiveFaults, drawArchive } from './machine/draw-archive.ts';
import { readopt, takeOver } from './restore-backup.ts';
import type { World } from './world.ts';

/** The interval between checks whether the archive has a moment to come back to. */
const soonMs = 1000;

/** An archive that is followed until its run ends. */
export interface LosableDisk {
  /** Checks that archiving went on after the loss. */
  judgeEnd(): void;
  close(): void;
}

/** Archives the service from now on, and throws its disk away within the time of faults, which begins now. */
export function loseDisk(world: World, isOver: () => boolean): LosableDisk {
  const { faultRates, time, disk } = world;
  const chance = world.chance.fork('archive');
  const faults = drawArchive(chance, { began: time.now(), safetyMs: faultRates.safetyMs });
  const store = archiveStore({ time, chance: chance.fork('place'), work: disk.realWork }, faults);
  const follower = followService(world, store);
  const judge = archiveJudge(world, { store, follower });
  const lose = async (): Promise<void> => {
    if (isOver()) return;
    const spans = world.node.running() === undefined ? [] : await readSpans(store.atRest);
    if (spans.length === 0) return loseIn(soonMs);
    judge.lost(faults.asked !== undefined);
    world.node.crash(chance.whole(100, 120_000));
    follower.lost();
    const way = wayOf(spans, faults, time.now());
    await comeBack(world, { store, judge, way });
    readopt(world);
  };
  const loseIn = (ms: number): void => void time.after(ms, () => void disk.realWork.during(lose));
  loseIn(Math.round(faults.lostAt * faultRates.safetyMs));
  return { judgeEnd: judge.ended, close: follower.close };
}

/** The newest moment, or the last one before a moment that somebody asks for; where it is in a hole, the end of what comes before. */
function wayOf(spans: Awaited<ReturnType<typeof readSpans>>, { asked }: ArchiveFaults, now: number): AskedWay {
  if (asked === undefined) return { way: wayTo(spans, undefined), asked: undefined };
  const from = Math.min(...spans.map((span) => span.from));
  const drawn = Math.round(from + asked * (now - from));
  const isHeld = spans.some((span) => span.from <= drawn && drawn <= span.until);
  const nearest = Math.max(...spans.map(({ until }) => until).filter((until) => until <= drawn));
  const moment = isHeld ? drawn : nearest;
  return { way: wayTo(spans, moment), asked: moment };
}

/** A moment of an archive, and the one that was asked for. */
interface AskedWay {
  readonly way: WayTo;
  readonly asked: number | undefined;
}

async function comeBack(
  world: World,
  {
    store,
    judge,
    way: { way, asked },
  }: { readonly store: ArchiveStore; readonly judge: ArchiveJudge; readonly way: AskedWay },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-restored-'));
  try {
    const rows = join(folder, 'rows.sqlite');
    const { seal } = await openArchive(store.atRest, undefined);
    await rebuildDatabase({ place: store.atRest, seal }, way, rows);
    judge.rebuilt(integrityOf(rows));
    takeOver(world, { rows, ...(await filesOf(store)) });
    judge.restored(way.at, asked);
    world.trace.note(`disk lost, back from the archive ${world.time.now() - way.at} ms before`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function integrityOf(file: string): string {
  const rebuilt = new Sqlite(file);
  try {
    return String(rebuilt.pragma('integrity_check', { simple: true }));
  } finally {
    rebuilt.close();
  }
}

async function filesOf({ atRest }: ArchiveStore): Promise<Pick<DiskBackup, 'files' | 'pictures'>> {
  const found = { files: new Map<string, Buffer>(), pictures: new Map<string, Buffer>() };
  for (const [path, object] of await archivedFiles(atRest)) {
    const [area, name = ''] = path.split('/');
    const bytes = await atRest.get(object);
    if (bytes !== undefined && (await sha256Of(bytes)) === name) found[area as keyof typeof found].set(name, bytes);
  }
  return found;
}
