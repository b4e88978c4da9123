/** The archiver of a run: each process of the service archives the database and the files into the second place. */
import { shipMs } from '../../runtime/archive/archive-chain.ts';
import { ArchiveRounds, type ArchiveState } from '../../runtime/archive/archiver.ts';
import type { FollowedFiles } from '../../runtime/archive/follow-files.ts';
import { transactAlone } from '../../runtime/database/database.ts';
import { describeError, type Logger } from '../../runtime/logger.ts';
import type { ArchiveStore } from './machine/archive-store.ts';
import type { Disk } from './machine/disk.ts';
import type { Running } from './service-node.ts';
import type { World } from './world.ts';

/** Follows the archivers of all processes of a run. */
export interface ArchiveFollower {
  /** What a process reported last: everything up to `until` can be had. */
  reported(): ArchiveState;
  /** Is called when the disk is lost: the next process archives from another data folder. */
  lost(): void;
  close(): void;
}

const serviceId = 'simulated';
/** The interval between checks whether a process has come that archives nothing yet. */
const soonMs = 1000;
/** Checkpoints of a connection that nobody told otherwise, in pages. */
const defaultPages = 1000;

/** Has every process archive, from soon after its start to its end. */
export function followService(world: World, store: ArchiveStore): ArchiveFollower {
  const { disk, node, time } = world;
  let state: ArchiveState = { until: undefined, fault: undefined };
  let folders = 1;
  let archived: { readonly running: Running; readonly close: () => void } | undefined;
  const close = (): void => {
    archived?.close();
    archived = undefined;
    disk.sqlite.pragma(`wal_autocheckpoint=${defaultPages}`);
  };
  node.onDeath(close);
  const begin = (running: Running): void => {
    const rounds = roundsOf(world, { running, store, holder: `folder${folders}` }, (reported) => {
      state = reported;
    });
    archived = { running, close: () => rounds.close() };
    const go = (): void => {
      const round = disk.realWork.during(() => rounds.round());
      round.then(() => running.clock.after(shipMs, go)).catch(() => {});
    };
    go();
  };
  const look = (): void => {
    const running = node.running();
    if (running !== undefined && archived === undefined) begin(running);
    time.after(soonMs, look);
  };
  look();
  return {
    reported: () => state,
    lost() {
      folders++;
      state = { until: undefined, fault: undefined };
    },
    close,
  };
}

/** The archiver of the product, over the disk of a run. */
function roundsOf(
  { disk, node, time, checker }: World,
  { running, store, holder }: { readonly running: Running; readonly store: ArchiveStore; readonly holder: string },
  tell: (state: ArchiveState) => void,
): ArchiveRounds {
  const { process, db, clock } = running;
  const died = new Promise<never>((_, reject) => {
    node.onDeath((dead) => void (dead === process && reject(new Error('the process died'))));
  });
  died.catch(() => {});
  return new ArchiveRounds({
    clock,
    logger: strictLogger((message) =>
      checker.holds(process.dead, 'no fault in the log', () => `the archiver: ${message}`),
    ),
    place: store.placeOf(process),
    database: disk.sqlite.name,
    service: serviceId,
    holder,
    key: undefined,
    // What a service remembers over its starts is played by tests of the archiver.
    begun: { isKnown: async () => false, keep: async () => {} },
    days: 7,
    about: { version: '1.0.0', filesIn: 'folder' },
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
    followed: followedOn(disk),
    async whileNobodyWrites(act) {
      // A process that died lets go of what it opened, as its end would.
      await disk.realWork.waiting(async () => {
        await Promise.race([transactAlone(db, async () => act()), died]);
        // Whoever waited for the database goes on first, so that real work never runs next to theirs.
        await new Promise<void>((resolve) => time.after(1, resolve));
      });
    },
    async checkpointsByItself(isOn) {
      if (!process.dead) disk.sqlite.pragma(`wal_autocheckpoint=${isOn ? defaultPages : 0}`);
    },
    async tell(state) {
      if (!process.dead) tell(state);
    },
  });
}

function followedOn({ files, pictures }: Disk): FollowedFiles {
  const areas = { files, pictures };
  return {
    names: async () =>
      Object.entries(areas).flatMap(([area, folder]) => [...folder.copy().keys()].map((name) => `${area}/${name}`)),
    async read(path) {
      const [area, name = ''] = path.split('/');
      return areas[area as keyof typeof areas].copy().get(name);
    },
    keys: async () => ({}),
  };
}

/** A log in which an error is a bug: the archiver has an answer to every trouble of its place. */
function strictLogger(failed: (what: string) => void): Logger {
  const quiet = (): void => {};
  return {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields, message) => failed(`${message}: ${describeError(fields.error)}`),
  };
}
