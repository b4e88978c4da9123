/** Planted bugs that only a restored backup shows (INV-91). */
import type { PlantedBug } from './planted-bug.ts';

const restore = 'gateway/after-restore.ts';
const anew = '    for (const upload of open) await beginAnew(trx, upload, { now, random });\n';
const raised = `       announced_version = case when announced_version = 0 or announced_version > ? then announced_version
         when announced_version < ? then ? else announced_version + ? end`;

/** Bugs by which what was before a restore counts after it, or frames are sent what they were sent already. */
export const plantedRestoreBugs: readonly PlantedBug[] = [
  {
    name: 'versions go on where the backup ended',
    why: 'a version is the time in seconds, so that later ones are larger by themselves',
    breaks: ['INV-32', 'INV-91', 'INV-43'],
    restores: true,
    edits: [
      { file: restore, find: raised, replace: '       announced_version = announced_version' },
      {
        file: restore,
        find: '[most, seconds, Math.min(limits.fileVersion, seconds + versionStride), versionStride]',
        replace: '[]',
      },
    ],
  },
  {
    name: 'evidence of the backup goes on to prove',
    why: 'the rows are as they were, and what they prove was proven',
    breaks: ['INV-91', 'INV-89', 'INV-43', 'INV-84', 'INV-88'],
    restores: true,
    edits: [{ file: restore, find: anew, replace: '' }],
  },
  {
    name: 'a restore is not an event',
    why: 'frames and service find together at the next wake anyway',
    breaks: ['INV-91', 'INV-89', 'INV-32', 'INV-43', 'INV-84', 'INV-88', 'T-47'],
    restores: true,
    edits: [
      {
        file: restore,
        find: "  if ((await readFact(db, 'restored')) === undefined) return false;\n",
        replace: "  if ((await readFact(db, 'restored')) !== '') return false;\n",
      },
    ],
  },
];
