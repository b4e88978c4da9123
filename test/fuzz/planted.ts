/** Faults that somebody could make, each as a small patch of the sources: guided fuzzing has to find each of them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withCopy } from '../simulation/plant.ts';
import type { Edit } from '../simulation/planted-bug.ts';
import type { TargetName } from './targets.ts';

/** A fault, and the beginning of what is said of it. */
export interface PlantedFault {
  readonly target: TargetName;
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly sign: string;
}

/** The faults. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    target: 'calendars',
    name: 'the sieve takes the last component for the one that ends',
    edits: [
      {
        file: 'api/calendar/sieve-feed.ts',
        find: 'const at = open.lastIndexOf(kind);',
        replace: 'const at = open.length - 1;',
      },
    ],
    sign: 'the sieve changes what a feed shows',
  },
  {
    target: 'images',
    name: 'an orientation has no largest number',
    edits: [
      {
        file: 'api/images/bare-image/orientation.ts',
        find: 'orientation >= 1 && orientation <= 8',
        replace: 'orientation >= 1',
      },
    ],
    sign: 'an orientation that is none',
  },
  {
    target: 'frames',
    name: 'one packet more than is allowed at once',
    edits: [
      {
        file: 'gateway/broker/packet-guard.ts',
        find: 'if (this.begun === maxPackets) break;',
        replace: 'if (this.begun > maxPackets) break;',
      },
    ],
    sign: 'more packets at once than were allowed',
  },
  {
    target: 'backups',
    name: 'the bytes of a file are held against nothing',
    edits: [
      {
        file: 'cli/backup/read-backup.ts',
        find: "if (hash.digest('hex') !== file.sha256)",
        replace: "if (hash.digest('hex') === '')",
      },
    ],
    sign: 'a file that was read is not what was stored',
  },
  {
    target: 'recipes',
    name: 'a header is sent as it was written',
    edits: [
      {
        file: 'api/recipes/work/poll-requests.ts',
        find: ".replaceAll(/[^\\t\\x20-\\x7e\\x80-\\xff]/g, ' ')",
        replace: '',
      },
    ],
    sign: 'a header that cannot be sent',
  },
];

/** Hunts in a copy of the sources that has the fault; returns what was printed. */
export function findFault({ target, name, edits }: PlantedFault, executions: number): Promise<string> {
  return withCopy({ name, edits }, ['test/fuzz', 'test/runner'], async (folder) => {
    const args = [
      '--import',
      'tsx',
      'test/fuzz/fuzz.ts',
      target,
      '--first',
      '--seed',
      'planted',
      '--executions',
      String(executions),
    ];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (failed: { stdout: string; stderr: string }) => failed,
    );
    return `${stdout}${stderr}`;
  });
}
