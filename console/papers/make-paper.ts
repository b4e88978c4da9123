/** Makes a paper once it has everything that it needs, and leads on from there. */
import { callApi } from '../ground/call-api.ts';
import { rereadDevice } from '../ground/fleet.ts';
import { asPaper, type Paper, putPaper } from '../ground/paper-book.ts';
import { type NeededField, traitsOf } from '../ground/paper-kinds.ts';
import { goTo } from '../ground/router.ts';
import { t, tCode } from '../ground/words.ts';
import { fileOf } from '../parts/drafts/ask-readable.ts';
import { boundCrop, type Size } from '../parts/drafts/crop.ts';
import { cropFor, type Draft } from '../parts/drafts/drafts.ts';
import { pictureOf } from '../parts/drafts/draw-picture.ts';
import { act } from '../parts/messages.tsx';
import { feedsIn } from './draft/calendar-feed.ts';
import { loginsFor } from './draft/login-places.ts';
import { nameField } from './draft/meta-fields.tsx';
import type { PaperDraft } from './draft/paper-draft.ts';
import { isFilledIn } from './draft/recipe-values.ts';
import { partsIn } from './kinds/board-fields.tsx';
import { slidesIn } from './kinds/slides-fields.tsx';
import { hasWrongSelector } from './kinds/website-fields.tsx';

/** The choices of a person for a new paper. */
export interface NewPaperChoice {
  readonly draft: PaperDraft;
  readonly deviceId: string;
  /**
   * Whether its frame is to show it at once, or with its first picture. A paper that is made for another one is shown
   * by it.
   */
  readonly isShown: boolean;
  /** The address of an integration of the gallery, empty for none. */
  readonly integration: string;
}

/** Whether pictures are sent to a paper of the kind: it is there before they are, and is shown with the first. */
export const takesPictures = (kind: string): boolean => traitsOf(kind).takesPictures;

interface Needed {
  readonly isFilled: (draft: PaperDraft) => boolean;
  /** A name for the paper that the field holds; empty for none. */
  readonly nameIn: (draft: PaperDraft) => string;
}

const unnamed = (): string => '';

/** The fields that a kind may need. */
const needed: Readonly<Record<NeededField, Needed>> = {
  text: {
    isFilled: (draft) => draft.text('text').trim() !== '',
    nameIn: (draft) => draft.text('text').trim().split('\n')[0] ?? '',
  },
  url: {
    isFilled: (draft) => isWebAddress(draft.text('url').trim()) && !hasWrongSelector(draft),
    nameIn: (draft) => (isWebAddress(draft.text('url').trim()) ? new URL(draft.text('url').trim()).host : ''),
  },
  calendars: {
    isFilled: (draft) => draft.hasReadCalendar.value,
    nameIn: (draft) => {
      const [feed] = feedsIn(draft.get('calendars'));
      return typeof feed?.name === 'string' ? feed.name : '';
    },
  },
  selectedPapers: { isFilled: (draft) => slidesIn(draft.get('selectedPapers')).length > 0, nameIn: unnamed },
  recipe: {
    isFilled: (draft) => (draft.text('recipe') === '' ? draft.get('template') !== undefined : isFilledIn(draft)),
    nameIn: (draft) => draft.text('title'),
  },
  parts: { isFilled: (draft) => partsIn(draft.get('parts')).some((id) => id !== ''), nameIn: unnamed },
  playlistEntries: {
    isFilled: (draft) => {
      const entries = draft.get('playlistEntries');
      return Array.isArray(entries) && entries.length > 0;
    },
    nameIn: unnamed,
  },
};

/** Whether the paper has everything that it needs. */
export function isComplete({ draft, deviceId }: NewPaperChoice): boolean {
  return deviceId !== '' && traitsOf(draft.base.value.kind).needs.every((field) => needed[field].isFilled(draft));
}

const isWebAddress = (address: string): boolean => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);

/** Returns the name of the paper until a person gives it another. */
export function suggestedName(draft: PaperDraft): string {
  const { kind } = draft.base.value;
  const [found] = traitsOf(kind).needs.map((field) => needed[field].nameIn(draft));
  return (found || tCode('papers.kind', kind)).slice(0, 80);
}

/** Makes the paper. Whatever fails on the way, nothing half-made stays behind. */
export async function makePaper(wish: NewPaperChoice): Promise<void> {
  const { draft, deviceId, isShown, integration } = wish;
  const { kind } = draft.base.peek();
  const name = draft.text(nameField(kind)).trim() || suggestedName(draft);
  let made: Paper | undefined;
  const isMade = await act(
    async () => {
      made = await storedPaper(wish, name);
      await finishPaper(made, wish).catch((error: unknown) => discard(made, error));
    },
    takesPictures(kind) || kind === 'plugin' ? undefined : t('papers.created', { title: name }),
  );
  if (!isMade || made === undefined) return;
  putPaper(made.id, made);
  if (takesPictures(kind)) goTo(`send?paper=${made.id}`);
  else goTo(`papers/${made.id}${integration === '' ? '' : `?integration=${encodeURIComponent(integration)}`}`);
  if (isShown) await rereadDevice(deviceId);
}

/** A picture for a new paper, and the pixels of the frame that it is cut to. */
interface CutPicture {
  readonly drawn: Draft;
  readonly size: Size;
}

/**
 * Makes a paper that another one is going to show, with its picture where it is one.
 * @returns its id; undefined when it was not made, which the person was shown
 */
export async function makePart(wish: NewPaperChoice, picture: CutPicture | undefined): Promise<string | undefined> {
  const name = wish.draft.text(nameField(wish.draft.base.peek().kind)).trim() || suggestedName(wish.draft);
  let made: Paper | undefined;
  const make = async (): Promise<void> => {
    made = await storedPaper(wish, name);
    const { id } = made;
    await finishPaper(made, wish)
      .then(() => picture && sendPicture(id, picture))
      .catch((error: unknown) => discard(made, error));
  };
  if (!(await act(make, t('slides.madeAndAdded', { title: name }))) || made === undefined) return undefined;
  putPaper(made.id, made);
  return made.id;
}

async function sendPicture(paperId: string, { drawn, size }: CutPicture): Promise<void> {
  const crop = boundCrop(drawn.size, size, cropFor(drawn, size));
  const picture = await pictureOf(drawn, { panel: size, crop, caption: '', captionAt: 'bottom' });
  const form = { picture: [fileOf(picture, drawn.name)] };
  await callApi('POST /papers/uploadSingleImage/{paperId}', { path: { paperId }, form });
}

/** The frame goes on with what it shows: it is given the paper when all of that is stored. */
async function storedPaper({ draft, deviceId, isShown }: NewPaperChoice, name: string): Promise<Paper> {
  const { kind, organization } = draft.base.peek();
  const body = {
    organization,
    deviceId,
    kind,
    meta: { ...draft.meta, [nameField(kind)]: name },
    show: takesPictures(kind) && isShown ? ('with-picture' as const) : ('not' as const),
  };
  return asPaper(await callApi('POST /papers/', { body }));
}

async function finishPaper({ id, kind }: Paper, { draft, deviceId, isShown }: NewPaperChoice): Promise<void> {
  for (const login of loginsFor(draft.meta, draft.logins.peek()))
    await callApi('PUT /papers/{paperId}/logins/', { path: { paperId: id }, body: login });
  if (takesPictures(kind) || kind === 'plugin' || !isShown) return;
  await callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { paper: id } });
}

async function discard(paper: Paper | undefined, error: unknown): Promise<never> {
  if (paper !== undefined)
    await callApi('DELETE /papers/{paperId}', { path: { paperId: paper.id } }).catch(() => undefined);
  throw error;
}
