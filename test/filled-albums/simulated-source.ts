/** A source of a simulated album: it changes, lies, repeats itself, stays away, and knows what was taken back when. */
import type { ListedPicture, PictureSource } from '../../api/picture-sources/source.ts';
import { type FaultKind, SourceFault } from '../../api/picture-sources/source.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { HandClock } from '../integration/integration-world.ts';

/** The manners of a source, for a while. */
export type SourceManner = 'honest' | 'empty' | 'half' | FaultKind;

/** A picture as it is at the source. */
interface Held {
  readonly mark: number;
  readonly since: number;
}

export interface SimulatedSource {
  readonly held: Map<string, Held>;
  /** When pictures were taken back that did not come again. */
  readonly takenBack: Map<string, number>;
  /** When the last listing began that was honest and whole; undefined before the first. */
  wholeSince(): number | undefined;
  manner: SourceManner;
  /** Repeats pages, as paging by numbers does while pictures come. */
  repeats: boolean;
  /** Lists what was taken back, as a cache would: a bug that is planted. */
  cached: boolean;
  put(key: string): void;
  takeBack(key: string): void;
  /** @param passes waits where the service may be killed */
  open(passes: () => Promise<void>): PictureSource;
}

export function simulatedSource(clock: HandClock): SimulatedSource {
  const [held, takenBack] = [new Map<string, Held>(), new Map<string, number>()];
  let marks = 0;
  let whole: number | undefined;

  function listed(source: SimulatedSource): ListedPicture[] {
    const keys = [...held.keys(), ...(source.cached ? takenBack.keys() : [])];
    const all = keys.map((key) => ({
      key,
      name: `${key}.jpg`,
      mark: String(held.get(key)?.mark ?? 0),
      width: 800,
      height: 600,
      arrivedAt: held.get(key)?.since ?? 0,
    }));
    if (source.manner === 'empty') return [];
    return source.manner === 'half' ? all.slice(0, Math.floor(all.length / 3)) : all;
  }

  function requireAnswer({ manner }: SimulatedSource): void {
    if (manner === 'honest' || manner === 'empty' || manner === 'half') return;
    throw new SourceFault(manner, reasonOf('album-source-unreadable'));
  }

  const source: SimulatedSource = {
    held,
    takenBack,
    wholeSince: () => whole,
    manner: 'honest',
    repeats: false,
    cached: false,
    put(key) {
      held.set(key, { mark: ++marks, since: clock.now() });
      takenBack.delete(key);
    },
    takeBack(key) {
      if (held.delete(key)) takenBack.set(key, clock.now());
    },
    open: (passes) => ({
      summarize: async () => ({ title: 'Simulated' }),
      async *list() {
        await passes();
        requireAnswer(source);
        const begun = clock.now();
        const all = listed(source);
        const pages = [all.slice(0, 7), all.slice(7)];
        for (const page of source.repeats ? [...pages, ...pages] : pages) {
          yield page;
          await passes();
          requireAnswer(source);
        }
        if (source.manner === 'honest') whole = begun;
        return {};
      },
      async fetchPicture(key) {
        await passes();
        requireAnswer(source);
        const picture = held.get(key);
        return picture && { content: Buffer.from(`${key} ${picture.mark}`) };
      },
    }),
  };
  return source;
}
