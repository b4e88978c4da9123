/** The kinds of paper, one row each. What draws a kind stands under the same name in `drawing/draw-paper.ts`. */

import { z } from 'zod';
import { type Reason, type ReasonCode, reasonOf } from '../../reasons/reason.ts';

/** The traits of a kind of paper, which are known before it is drawn. */
interface PaperKindTraits {
  /**
   * The sources of papers of the kind: a paper shows the first of these that there is. A kind without `picture` draws
   * itself, and a picture that is sent to such a paper is not used (C-49).
   */
  readonly shows: readonly ('content' | 'picture' | 'page')[];
  /** Why a paper that nobody has set up yet has no picture; null for a kind that always has one. */
  readonly notSetUp: ReasonCode | null;
  /** It is drawn from its settings alone, and so before it is saved. Pictures that are sent have previews of their own. */
  readonly isDraftable: boolean;
  /** It is drawn from something that changes without anybody touching the paper, and so again and again. */
  readonly changes?: true;
  /** It is made of other papers. It shows none of its sort (C-50). */
  readonly isComposed?: true;
  /** Every picture of it is the next of a series. */
  readonly isSeries?: true;
  /** It keeps many pictures, which people and guests send one by one. */
  readonly isAlbum?: true;
}

const rows = {
  image: { shows: ['picture'], notSetUp: 'paper-no-picture', isDraftable: false },
  // C-47: a printer's paper shows a page of ours until something is printed to it.
  printer: { shows: ['picture', 'page'], notSetUp: null, isDraftable: false },
  website: { shows: ['page'], notSetUp: 'no-website-named', isDraftable: true, changes: true },
  plugin: { shows: ['content', 'page'], notSetUp: 'no-integration-named', isDraftable: false, changes: true },
  remote: { shows: ['page'], notSetUp: 'no-picture-address', isDraftable: true, changes: true },
  recipe: { shows: ['page'], notSetUp: 'recipe-not-chosen', isDraftable: true, changes: true },
  calendar: { shows: ['page'], notSetUp: 'no-calendar-named', isDraftable: true, changes: true },
  slides: {
    shows: ['page'],
    notSetUp: 'no-paper-chosen',
    isDraftable: true,
    changes: true,
    isComposed: true,
    isSeries: true,
  },
  album: {
    shows: ['page'],
    notSetUp: 'no-album-picture',
    isDraftable: false,
    changes: true,
    isSeries: true,
    isAlbum: true,
  },
  playlist: { shows: ['page'], notSetUp: 'no-entry-made', isDraftable: true, changes: true, isComposed: true },
  board: { shows: ['page'], notSetUp: 'no-part-chosen', isDraftable: true, changes: true, isComposed: true },
  text: { shows: ['page'], notSetUp: 'no-text', isDraftable: true },
  testcard: { shows: ['page'], notSetUp: null, isDraftable: true },
} as const satisfies Readonly<Record<string, PaperKindTraits>>;

/** A kind of paper that can be drawn. */
export type PaperKind = keyof typeof rows;

/** A kind that can be drawn, as the API's description lists them; papers of clients may have kinds of their own. */
export const drawnKind = z.enum(Object.keys(rows) as [PaperKind, ...PaperKind[]]).meta({ id: 'PaperKind' });

/** All kinds that can be drawn. */
export const paperKinds: Readonly<Record<PaperKind, PaperKindTraits>> = rows;

const kindsThat = (isOne: (traits: PaperKindTraits) => boolean): readonly string[] =>
  Object.entries(paperKinds).flatMap(([kind, traits]) => (isOne(traits) ? [kind] : []));

type DraftableKind = {
  [Kind in PaperKind]: (typeof rows)[Kind]['isDraftable'] extends true ? Kind : never;
}[PaperKind];

/** A kind that is drawn before it is saved. */
export const draftableKind = z
  .enum(kindsThat(({ isDraftable }) => isDraftable) as [DraftableKind, ...DraftableKind[]])
  .meta({ id: 'DraftableKind' });

type KindToSetUp = {
  [Kind in PaperKind]: (typeof rows)[Kind]['notSetUp'] extends null ? never : Kind;
}[PaperKind];

/** The missing setup of a paper, by its kind. */
export const notSetUp = Object.fromEntries(
  Object.entries(rows).flatMap(([kind, { notSetUp: code }]) => (code === null ? [] : [[kind, reasonOf(code)]])),
) as Readonly<Record<KindToSetUp, Reason>>;

/** The kinds that change without anybody touching the paper. */
export const changingKinds = kindsThat(({ changes }) => changes === true);

/** The kinds that are made of other papers. */
export const composedKinds = kindsThat(({ isComposed }) => isComposed === true);

/** A sentence for the operator about what a service without a browser can draw, and what it cannot. */
export const withoutBrowser =
  'without a browser no website, no page of an integration and no recipe that was imported is drawn; everything else is';

/** Whether there is such a kind. A paper may have any other kind as well: clients have kinds of their own. */
export const isPaperKind = (kind: string): kind is PaperKind => Object.hasOwn(paperKinds, kind);

const traitsOf = (kind: string): PaperKindTraits | undefined => (isPaperKind(kind) ? paperKinds[kind] : undefined);

/** Why a paper of this kind has no picture; undefined when it can have one. */
export function whyNotRendered(kind: string): Reason | undefined {
  return isPaperKind(kind) ? undefined : unknownKind(kind);
}

/** Why a paper of a kind that nobody knows here has no picture. */
export const unknownKind = (kind: string): Reason =>
  reasonOf('kind-not-rendered', { kind, kinds: Object.keys(paperKinds).join(', ') });

/** Whether papers of this kind show uploaded pictures. */
export const showsUploads = (kind: string): boolean => traitsOf(kind)?.shows.includes('picture') === true;

/** Whether papers of this kind draw themselves. Kinds that nobody knows take pictures and show none. */
export const drawsItself = (kind: string): boolean => isPaperKind(kind) && !showsUploads(kind);

/** Whether each picture of such a paper is the next of a series. */
export const isSeries = (kind: string): boolean => traitsOf(kind)?.isSeries === true;

/** Whether papers of this kind keep many pictures. */
export const isAlbum = (kind: string): boolean => traitsOf(kind)?.isAlbum === true;

/** Whether it is a paper that shows a page only until something is uploaded to it, and nothing was yet (C-47). */
export const awaitsUpload = (paper: { readonly kind: string; readonly picture_revision: string | null }): boolean =>
  showsUploads(paper.kind) && traitsOf(paper.kind)?.shows.includes('page') === true && paper.picture_revision === null;
