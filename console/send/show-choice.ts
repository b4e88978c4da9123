/** Where pictures that take turns go: into a new album with a name that no other has, or to those that are there. */
import { signal } from '@preact/signals';
import { traitsOf } from '../ground/paper-kinds.ts';
import { type ListedPaper, picturePapers } from '../ground/picture-papers.ts';
import { locale, t } from '../ground/words.ts';
import type { Target } from './targets.ts';

/** The albums that are offered for a frame. */
const maxOffered = 5;

/** The album that pictures join, by the frame; no entry for a new one. */
export const joined = signal<ReadonlyMap<string, string>>(new Map());

/** The albums that were made for a frame, the newest first. */
export const albumsFor = ({ deviceId }: Target): readonly ListedPaper[] =>
  picturePapers.value
    .filter((paper) => paper.deviceId === deviceId && traitsOf(paper.kind).isAlbum)
    .sort((one, other) => other.createdAt.localeCompare(one.createdAt))
    .slice(0, maxOffered);

/** Returns the album that the pictures for a frame join; undefined for a new one. */
export const albumJoined = (target: Target): ListedPaper | undefined =>
  albumsFor(target).find(({ id }) => id === joined.value.get(target.id));

const maxTitle = 80;

/** The name under which the pictures of a slideshow are found later: with the day, and a number where that is taken. */
export function showTitleOf(target: Target): string {
  const title = t('send.showTitle', {
    name: target.name || t('frame.noName'),
    day: new Intl.DateTimeFormat(locale.value, { day: 'numeric', month: 'short' }).format(Date.now()),
  });
  return freeTitle(title, new Set(picturePapers.peek().map((paper) => paper.title)));
}

/** Returns a title that is not taken yet: with the next free number where it is. */
export function freeTitle(title: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : ` (${number})`;
    const free = title.slice(0, maxTitle - ending.length) + ending;
    if (!taken.has(free)) return free;
  }
}
