/** Planted bugs that only a service shows that comes back from its archive (INV-94). */
import type { PlantedBug } from './planted-bug.ts';

const chain = 'runtime/archive/archive-chain.ts';

/** Bugs by which an archive lacks what it says that it has, or gives back another moment. */
export const plantedArchiveBugs: readonly PlantedBug[] = [
  {
    name: 'files are archived at the start alone',
    why: 'what is stored later is named by rows, and rows are archived',
    breaks: ['INV-94'],
    archives: true,
    edits: [{ file: chain, find: '    if (one.read.size > 0) await this.#deps.files.follow();\n', replace: '' }],
  },
  {
    name: 'a moment is all that began before it',
    why: 'the segment that a moment lies in leads to it',
    breaks: ['INV-94'],
    archives: true,
    edits: [
      {
        file: 'runtime/archive/archive-moments.ts',
        find: 'number > base.number && until <= moment',
        replace: 'number > base.number && from <= moment',
      },
      {
        file: 'runtime/archive/archive-moments.ts',
        find: '.filter(({ number, until }) => number',
        replace: '.filter(({ number, from }) => number',
      },
    ],
  },
  {
    name: 'archived up to when it is written',
    why: 'what was read is written at once, so that the two moments are one',
    breaks: ['INV-94'],
    archives: true,
    edits: [
      {
        file: chain,
        find: 'segmentName({ chain, number, from, until, digest })',
        replace: 'segmentName({ chain, number, from, until: Math.max(until, this.#now()), digest })',
      },
    ],
  },
];
