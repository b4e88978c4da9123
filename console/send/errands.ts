/** Pictures for their places, as far as they are still on their way. */
import { callApi } from '../ground/call-api.ts';
import { type Draft, drafts, type Slideshow } from '../parts/drafts/drafts.ts';
import { sendings } from './sendings.ts';
import { dropAlbum } from './slideshow.ts';

/** A picture for one place. */
export interface Errand {
  readonly draft: Draft;
  readonly place: string;
  readonly show: Slideshow | undefined;
}

/** Names an errand, and what is said of it. */
export const errandId = ({ draft, place }: Pick<Errand, 'draft' | 'place'>): string => `${draft.key} ${place}`;

/** Every errand that is left, in the order of the pictures. */
export const errandsLeft = (): readonly Errand[] =>
  drafts.peek().flatMap((draft) =>
    (draft.going.peek()?.places ?? []).map((place) => ({
      draft,
      place,
      show: draft.going.peek()?.slideshows.find((one) => one.place === place),
    })),
  );

/** The pictures are shown in the order in which they were chosen, not the last one first. */
export async function orderAlbum(paperId: string, errands: readonly Errand[]): Promise<void> {
  const sorted = [...errands].sort((one, other) => one.draft.addedAt - other.draft.addedAt);
  const pictures = sorted.flatMap((errand) => {
    const undo = sendings.peek().find(({ id }) => id === errandId(errand))?.undo;
    return undo?.kind === 'album' ? [undo.pictureId] : [];
  });
  await callApi('POST /papers/{paperId}/pictures/order', { path: { paperId }, body: { pictures } });
}

/** Whether the service has it. */
export const isDelivered = (errand: Errand): boolean =>
  sendings.peek().some(({ id, state }) => id === errandId(errand) && state === 'sent');

/** A picture that is not sent to a place is worked on again, with that place. */
export function giveBack({ draft, place, show }: Errand): void {
  const going = draft.going.peek();
  const places = going?.places.filter((one) => one !== place) ?? [];
  draft.targets.value = [...new Set([...draft.targets.peek(), place])];
  draft.going.value = going === undefined || places.length === 0 ? undefined : { ...going, places };
  const isOver = show !== undefined && !errandsLeft().some((one) => one.show?.id === show.id);
  if (isOver) void dropAlbum(show).catch(() => undefined);
}
