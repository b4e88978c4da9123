/** The work of a process that reads a folder, and the lines that it writes. */
import { z } from 'zod';

/** Where a job may read. */
interface JobPlace {
  readonly root: string;
  /** Never read, wherever it lies. */
  readonly dataFolder: string;
}

/** A piece of work for a process that reads a folder. */
export type FileJob = JobPlace &
  (
    | { readonly kind: 'scan'; readonly folder: string; readonly withSubfolders: boolean }
    | { readonly kind: 'folders' }
    | { readonly kind: 'read'; readonly key: string; readonly maxBytes: number; readonly isHead: boolean }
  );

/** A file as the scan found it: its key, size, and the times of its content, its record and its making, milliseconds. */
const scanned = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()]);
export type ScannedFile = z.infer<typeof scanned>;

/** A line that the process writes. */
export const jobLine = z.union([
  z.object({ device: z.string() }),
  z.object({ files: z.array(scanned), unreadable: z.array(z.string()) }),
  z.object({ folder: z.string(), count: z.number() }),
]);
export type JobLine = z.infer<typeof jobLine>;

/** The exit code of a process that states in its last words why it could not read. */
export const failedExit = 9;
