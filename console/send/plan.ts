/** The plan of what is sent where: single pictures, and pictures that take turns on one frame. */
import { type Draft, draftsInHand } from '../parts/drafts/drafts.ts';
import { beginTogether, isTimed } from '../parts/drafts/show-times.ts';
import { isSamePicture, placesOf } from './places.ts';
import type { Target } from './targets.ts';

/** Several pictures for one frame, which shows them in turn. */
export interface PlannedShow {
  readonly target: Target;
  readonly drafts: readonly Draft[];
}

/** The reason why a plan cannot be sent: `one` concerns one picture alone, and two pictures concern `other` as well. */
export interface PlanTrouble {
  readonly code: 'album' | 'one' | 'shared' | 'together';
  readonly name: string;
  readonly other?: string;
}

/** The plan for the pictures in hand. */
export interface Plan {
  /** The pictures that have a place, each with those where it is shown by itself. */
  readonly pictures: readonly { readonly draft: Draft; readonly targets: readonly Target[] }[];
  readonly shows: readonly PlannedShow[];
  readonly places: readonly Target[];
  readonly trouble: PlanTrouble | undefined;
}

/** Makes the plan. */
export function planSending(): Plan {
  const placed = draftsInHand()
    .map((draft) => ({ draft, targets: placesOf(draft) }))
    .filter(({ targets }) => targets.length > 0);
  const places = [...new Map(placed.flatMap(({ targets }) => targets.map((one) => [one.id, one]))).values()];
  const shows = places.flatMap((target): PlannedShow[] => {
    if (target.paper?.isAlbum === true || !target.id.startsWith('frame:')) return [];
    const lasting = draftsFor(placed, target).filter((draft) => !isTimed(draft.times.value));
    return lasting.length > 1 ? [{ target, drafts: lasting }] : [];
  });
  const shown = new Set(shows.map(({ target }) => target.id));
  const pictures = placed.map(({ draft, targets }) => ({ draft, targets: targets.filter(({ id }) => !shown.has(id)) }));
  const trouble = places.map((target) => troubleAt(target, placed, shown, places)).find((one) => one !== undefined);
  return { pictures, shows, places, trouble };
}

type Placed = readonly { readonly draft: Draft; readonly targets: readonly Target[] }[];

const draftsFor = (placed: Placed, { id }: Target): readonly Draft[] =>
  placed.filter(({ targets }) => targets.some((one) => one.id === id)).map(({ draft }) => draft);

function troubleAt(
  target: Target,
  placed: Placed,
  shown: ReadonlySet<string>,
  places: readonly Target[],
): PlanTrouble | undefined {
  const { name } = target;
  const here = draftsFor(placed, target);
  const takesTurns = target.paper?.isAlbum === true || shown.has(target.id);
  if (takesTurns) return here.some(({ times }) => isTimed(times.value)) ? { code: 'album', name } : undefined;
  const clashes = (one: Draft, others: readonly Draft[]): boolean =>
    others.some((other) => other !== one && beginTogether(one.times.value, other.times.value));
  if (here.some((one) => clashes(one, here))) {
    return { code: here.some(({ times }) => isTimed(times.value)) ? 'together' : 'one', name };
  }
  const twin = places.find((other) => other.id !== target.id && !shown.has(other.id) && isSamePicture(target, other));
  const theirs = twin === undefined ? [] : draftsFor(placed, twin);
  return twin !== undefined && here.some((one) => clashes(one, theirs))
    ? { code: 'shared', name, other: twin.name }
    : undefined;
}
