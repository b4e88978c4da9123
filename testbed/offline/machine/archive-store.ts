/** The second place of a run: objects that come and go after a drawn time, on a share that is away, full or slow for a while. */
import type { ArchivePlace } from '../../../runtime/archive/archive-place.ts';
import type { Chance } from './chance.ts';
import type { Process } from './disk.ts';
import type { ArchiveFaults } from './draw-archive.ts';
import type { RealWork } from './real-work.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The objects of an archive, and the ways to them. */
export interface ArchiveStore {
  /** The place as a process finds it, with all its troubles. */
  placeOf(process: Process): ArchivePlace;
  /** The place as it is read after the loss, elsewhere: at once. */
  readonly atRest: ArchivePlace;
  /** The moment since which nothing has been wrong with the place; undefined while something is. */
  wellSince(): number | undefined;
}

export function archiveStore(
  { time, chance, work }: { readonly time: VirtualTime; readonly chance: Chance; readonly work: RealWork },
  { outages, delayMs }: Pick<ArchiveFaults, 'outages' | 'delayMs'>,
): ArchiveStore {
  const objects = new Map<string, Buffer>();
  const beganAt = time.now();
  const outageNow = () => outages.find(({ from, until }) => from <= time.now() && time.now() < until);
  const atRest: ArchivePlace = {
    async put(name, bytes) {
      objects.set(name, Buffer.from(bytes));
    },
    get: async (name) => objects.get(name),
    async remove(name) {
      objects.delete(name);
    },
    list: async (prefix) => [...objects.keys()].filter((name) => name.startsWith(prefix)).sort(),
  };

  /** Answers after a time. A process that died meanwhile hears nothing; what it asked for was done, or was not. */
  function answer<Result>(process: Process, act: () => Promise<Result>): Promise<Result> {
    const isSlow = outageNow()?.kind === 'slow';
    const afterMs = chance.whole(1, delayMs) * (isSlow ? 20 : 1);
    return work.waiting(
      () =>
        new Promise((resolve, reject) => {
          time.after(afterMs, () => {
            const kind = outageNow()?.kind;
            if (process.dead) {
              if (kind !== 'away' && chance.hits(0.5)) act().catch(reject);
            } else if (kind === 'away') reject(failing('EIO'));
            else act().then(resolve, reject);
          });
        }),
    );
  }

  return {
    atRest,
    placeOf: (process) => ({
      put: (name, bytes) =>
        answer(process, () =>
          outageNow()?.kind === 'full' ? Promise.reject(failing('ENOSPC')) : atRest.put(name, bytes),
        ),
      get: (name) => answer(process, () => atRest.get(name)),
      remove: (name) => answer(process, () => atRest.remove(name)),
      list: (prefix) => answer(process, () => atRest.list(prefix)),
    }),
    wellSince() {
      if (outageNow() !== undefined) return undefined;
      return Math.max(beganAt, ...outages.map(({ until }) => until).filter((until) => until <= time.now()));
    },
  };
}

/** An error of a file system, as the folder of an archive gives it on. */
function failing(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'open' });
}
