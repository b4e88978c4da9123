/** The rows of pictures that a source lists. */
import { createHash } from 'node:crypto';
import { newRow } from '../../runtime/database/table.ts';
import { dateInName } from '../images/capture-date.ts';
import type { ListedPicture } from '../picture-sources/source.ts';
import { type SourcePictureRow, shuffleRank } from './choose-next.ts';
import { filledAlbumTables } from './tables.ts';

/** Names a picture of a source in the database. */
export const idOfPicture = (source: number, key: string): string =>
  createHash('sha256').update(`${source} ${key}`).digest('base64url').slice(0, 16);

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8);

/** Returns the row of a picture that was listed; where nothing says when it was taken, its arrival stands for it. */
export function rowOfListed(source: number, listed: ListedPicture, now: number): SourcePictureRow {
  const { key, name, mark, taken, arrivedAt, width, height, isFavourite } = listed;
  const id = idOfPicture(source, key);
  const stated = taken ?? dateInName(name);
  const at = stated === undefined ? Number.NaN : Date.parse(`${stated}Z`);
  const arrived = arrivedAt ?? now;
  return newRow(filledAlbumTables, 'source_pictures', {
    id,
    source,
    key,
    name: key.endsWith(`/${name}`) || key === name ? '' : name.slice(0, 200),
    mark: digestOf(mark),
    ...(Number.isNaN(at) ? { taken: arrived, is_guessed: 1, day: null } : takenColumns(at)),
    arrived_at: arrived,
    width: width ?? null,
    height: height ?? null,
    is_favourite: isFavourite === true ? 1 : 0,
    rank: shuffleRank(id),
  });
}

/** The columns of a local time of capture, written as if it were UTC. */
export function takenColumns(taken: number) {
  const at = new Date(taken);
  return { taken, is_guessed: 0, day: (at.getUTCMonth() + 1) * 100 + at.getUTCDate() };
}
