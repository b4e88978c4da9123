/** Asks the servers of museums, which answer in JSON and serve the pictures themselves. */
import type { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { askForFiles, faultOfStatus } from '../ask-for-files.ts';
import { plainLine } from '../plain-line.ts';
import { type SourceDeps, SourceFault } from '../source.ts';

/** The most works that a search lists. */
export const maxFoundWorks = 1_000;

const maxAnswerBytes = 16 * 1024 * 1024;
const maxPictureBytes = 64 * 1024 * 1024;

/** Asks for an answer of a shape; undefined for what is not there. */
export async function askMuseum<Shape extends z.ZodType>(
  deps: SourceDeps,
  url: URL,
  shape: Shape,
): Promise<z.infer<Shape> | undefined> {
  const headers = { accept: 'application/json' };
  const answer = await askForFiles(deps, { url, headers, readLimitBytes: maxAnswerBytes, bodyTimeoutMs: 60_000 });
  if (answer.status === 404 || answer.status === 410) return undefined;
  if (answer.status !== 200) throw faultOfStatus(answer, deps.clock.now());
  try {
    return shape.parse(JSON.parse(answer.body.toString()));
  } catch {
    throw new SourceFault('unusable', reasonOf('album-source-unreadable'));
  }
}

/** Fetches a picture of a museum; undefined when there is none at that address, or only a smaller one. */
export async function fetchMuseumPicture(deps: SourceDeps, url: URL): Promise<Buffer | undefined> {
  const limits = { readLimitBytes: maxPictureBytes, timeoutMs: 30_000, bodyTimeoutMs: 120_000 };
  const answer = await askForFiles(deps, { url, headers: { accept: 'image/jpeg, image/*' }, ...limits });
  if (answer.status === 200) return answer.body;
  // Chicago's server refuses sizes that a picture does not have with 400 or 403.
  if ([400, 403, 404, 410].includes(answer.status)) return undefined;
  throw faultOfStatus(answer, deps.clock.now());
}

/** Writes whom a work is by, its title and its museum, as its licence asks of nobody and every reader likes. */
export function creditOfWork(artist: string | undefined, title: string, museum: string): string {
  return [plainLine(artist, 120), plainLine(title, 160), museum].filter((part) => part !== undefined).join(', ');
}
