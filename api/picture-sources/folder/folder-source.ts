/** A folder of this machine as a source of pictures, which is read and never written. */
import { basename } from 'node:path';
import { reasonOf } from '../../../reasons/reason.ts';
import { sortOfFile } from '../file-names.ts';
import { type PictureSource, type SourceChoice, type SourceDeps, SourceFault, type SourceSummary } from '../source.ts';
import type { FileJob } from './file-job.ts';
import { FolderFailure, linesOfJob, runFileJob } from './file-process.ts';
import { scanFolder } from './scan-folder.ts';

/** A folder that the operator admits, and what a person chose of it. */
export interface FolderSettings {
  /** The operator's folder: an absolute path. */
  readonly root: string;
  /** The data folder of the service, which is never read. */
  readonly dataFolder: string;
  /** The path of a folder below the root; empty, the root itself. */
  readonly folder: string;
  readonly withSubfolders: boolean;
}

const [maxMegabytes, headBytes] = [64, 256 * 1024];

/** Returns whether a key names something below a folder; where it really lies is looked at when it is read. */
const isFileKey = (key: string): boolean =>
  key !== '' && !key.includes('\0') && key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Opens a folder as a source. Everything is read in processes of their own. */
export function openFolderSource(deps: SourceDeps, settings: FolderSettings): PictureSource {
  const { root, dataFolder, folder, withSubfolders } = settings;
  const place = { root, dataFolder };
  const scan = { ...place, kind: 'scan', folder, withSubfolders } as const;
  if (folder !== '' && !isFileKey(folder)) throw new SourceFault('unusable', reasonOf('album-source-folder-outside'));

  async function read(key: string, isHead: boolean): Promise<Buffer | undefined> {
    if (!isFileKey(key)) return undefined;
    const maxBytes = isHead ? headBytes : maxMegabytes * 1024 * 1024;
    const job: FileJob = { ...place, kind: 'read', key, isHead, maxBytes };
    try {
      const pieces: Buffer[] = [];
      for await (const piece of runFileJob(deps, job)) pieces.push(piece);
      return Buffer.concat(pieces);
    } catch (error) {
      if (error instanceof FolderFailure && ['ENOENT', 'ENOTDIR', 'OUTSIDE', 'ELOOP'].includes(error.code))
        return undefined;
      throw faultOfFailure(error, false);
    }
  }

  return {
    summarize: () => summarizeFolder(deps, scan),
    choices: () => listFolderChoices(deps, { ...place, kind: 'folders' }),
    async *list(before) {
      try {
        return yield* scanFolder(deps, scan, before);
      } catch (error) {
        throw faultOfFailure(error, folder !== '');
      }
    },
    async fetchPicture(key) {
      const content = await read(key, false);
      return content === undefined ? undefined : { content };
    },
    fetchHead: (key) => read(key, true),
  };
}

/** Returns the fault that a failure means. */
function faultOfFailure(error: unknown, isBelowRoot: boolean): SourceFault {
  if (error instanceof SourceFault) return error;
  const code = error instanceof FolderFailure ? error.code : 'UNKNOWN';
  if (code === 'OUTSIDE') return new SourceFault('unusable', reasonOf('album-source-folder-outside'));
  if (code === 'EACCES' || code === 'EPERM') return new SourceFault('denied', reasonOf('album-source-folder-closed'));
  if (code === 'EFBIG')
    return new SourceFault('unusable', reasonOf('album-source-file-too-large', { most: maxMegabytes }));
  // A root that is not there may be a share that nobody has mounted yet.
  if (code === 'ENOENT' && isBelowRoot) return new SourceFault('gone', reasonOf('album-source-folder-removed'));
  return new SourceFault('away', reasonOf('album-source-folder-away', { error: code }));
}

async function summarizeFolder(deps: SourceDeps, scan: Extract<FileJob, { kind: 'scan' }>): Promise<SourceSummary> {
  let [count, newestAt] = [0, 0];
  try {
    for await (const line of linesOfJob(deps, scan)) {
      if (!('files' in line)) continue;
      for (const [key, , , recorded, made] of line.files) {
        if (sortOfFile(key) !== 'picture') continue;
        count += 1;
        newestAt = Math.max(newestAt, Math.floor(made > 0 ? made : recorded));
      }
    }
  } catch (error) {
    throw faultOfFailure(error, scan.folder !== '');
  }
  return { title: basename(scan.folder || scan.root), count, newestAt: newestAt === 0 ? undefined : newestAt };
}

async function listFolderChoices(deps: SourceDeps, job: FileJob): Promise<readonly SourceChoice[]> {
  const choices: SourceChoice[] = [];
  try {
    for await (const line of linesOfJob(deps, job)) {
      if ('folder' in line) choices.push({ id: line.folder, sort: 'folder', name: line.folder, count: line.count });
    }
  } catch (error) {
    throw faultOfFailure(error, false);
  }
  return choices.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
