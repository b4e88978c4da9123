/** The kinds of seeds that a night plays: each is what one set of options of the simulation plays. */
import type { WantedFaults } from '../machine/fault-rates.ts';

/** A kind of seeds. */
export interface SeedKind {
  readonly name: string;
  readonly about: string;
  readonly wanted: WantedFaults;
  /** The options of the command that plays such a seed. */
  readonly options: Readonly<Record<string, string | true>>;
}

/** Every kind, in the order in which a night plays them. */
export const seedKinds: readonly SeedKind[] = [
  {
    name: 'homes',
    about: 'one process, and native, classic and polled frames as the seed draws them',
    wanted: {},
    options: {},
  },
  {
    name: 'deadlines',
    about: 'the same, and people set six deadlines',
    wanted: { deadlines: 6 },
    options: { deadlines: '6' },
  },
  {
    name: 'nodes',
    about: 'two or three nodes over one database',
    wanted: { nodes: 'drawn' },
    options: { nodes: 'drawn' },
  },
  {
    name: 'restores',
    about: 'a backup takes the place of everything in the middle',
    wanted: { restores: true },
    options: { restores: true },
  },
  {
    name: 'archives',
    about: 'the disk is lost in the middle, and the service comes back from its archive',
    wanted: { archives: true },
    options: { archives: true },
  },
  {
    name: 'offline-firmware',
    about: 'two frames with the vendor’s offline firmware and another one',
    wanted: { frames: 1, offlineFrames: 2 },
    options: { frames: '1', 'offline-frames': '2' },
  },
  {
    name: 'crowds',
    about: 'homes of twelve frames',
    wanted: { frames: 12 },
    options: { frames: '12' },
  },
];
