/** For whom pictures are: one choice for all of them, remembered in this browser, or one for each. */
import { signal } from '@preact/signals';
import { organizationId } from '../ground/session.ts';
import { type Draft, draftsInHand } from '../parts/drafts/drafts.ts';
import { type Target, targets } from './targets.ts';

const storedAs = (): string => `papergate-places ${organizationId.peek()}`;

/** The places for all pictures, by their ids. */
export const commonPlaces = signal<readonly string[]>([]);
/** Whether each picture has places of its own. */
export const isForEach = signal(false);

/** Returns the places that were chosen last in this organization. */
export function rememberedPlaces(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storedAs()) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Remembers places for the next time, the newest first. */
export function rememberPlaces(ids: readonly string[]): void {
  localStorage.setItem(storedAs(), JSON.stringify(ids));
}

/** The ids of the places of a picture. */
export const placeIdsOf = (draft: Draft): readonly string[] =>
  isForEach.value ? draft.targets.value : commonPlaces.value;

/** The places of a picture, as far as they are there. Two frames that show one picture are one place. */
export function placesOf(draft: Draft): readonly Target[] {
  const ids = placeIdsOf(draft);
  const chosen = targets.value.filter(({ id }) => ids.includes(id));
  return chosen.filter((target, at) => chosen.findIndex((one) => isSamePicture(one, target)) === at);
}

/** Whether two places show one and the same picture. */
export const isSamePicture = (one: Target, other: Target): boolean =>
  one.id === other.id || (one.paper !== null && one.paper.id === other.paper?.id);

/** Chooses a place, or takes it away: for all pictures, or for one of them. */
export function togglePlace(id: string, draft: Draft | undefined): void {
  const list = isForEach.peek() && draft !== undefined ? draft.targets : commonPlaces;
  const others = list.peek().filter((one) => one !== id);
  list.value = others.length < list.peek().length ? others : [...others, id];
  if (list === commonPlaces && commonPlaces.peek().length > 0) rememberPlaces(commonPlaces.peek());
}

/** Begins to choose for each picture, with what was chosen for all; or goes back to one choice, that of the first. */
export function chooseForEach(isWanted: boolean): void {
  const inHand = draftsInHand();
  if (isWanted) for (const draft of inHand) draft.targets.value = commonPlaces.peek();
  else commonPlaces.value = inHand[0]?.targets.peek() ?? commonPlaces.peek();
  isForEach.value = isWanted;
}
