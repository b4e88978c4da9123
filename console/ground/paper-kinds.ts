/** The handling of papers of each kind. When the API names another kind, this list does not compile without it. */
import type { Schemas } from '../../client/contract.ts';
import { t } from './words.ts';

/** A kind that the service can draw; papers of other clients may have kinds of their own. */
export type PaperKind = Schemas['PaperKind'];
/** A kind that the service draws before it is saved. */
export type DraftableKind = Schemas['DraftableKind'];
/** A field of a paper's meta that people must fill in before a paper can be made. */
export type NeededField = 'text' | 'url' | 'calendars' | 'selectedPapers' | 'playlistEntries' | 'recipe' | 'parts';

interface KindTraits {
  /** The icon that stands for it where there is no picture of it. */
  readonly icon: string;
  /** Pictures are sent to it from here: it shows the last one, or keeps all of them. */
  readonly takesPictures: boolean;
  /** It keeps every picture. */
  readonly isAlbum: boolean;
  /** Guests may be given a link to send to it. */
  readonly takesGuests: boolean;
  /** It asks addresses that may want a login. */
  readonly hasLogins: boolean;
  /** It is made of other papers, and shows none of its sort. */
  readonly isComposed: boolean;
  /** The fields that it cannot do without. */
  readonly needs: readonly NeededField[];
  /** It can be made within the form of a paper that shows others: none of its setup needs a page of its own. */
  readonly canBePart: boolean;
  /** It draws `meta.title` as a heading, and has another name for lists. */
  readonly drawsTitle: boolean;
  /** Its settings can be seen as a picture before they are saved. */
  readonly isDraftable: boolean;
}

/** The traits of most kinds. Those that each row has to name itself are left out. */
const usual = {
  icon: 'papers',
  takesPictures: false,
  isAlbum: false,
  takesGuests: false,
  hasLogins: false,
  isComposed: false,
} as const;

type TraitsOf<Kind extends PaperKind> = KindTraits & {
  readonly isDraftable: Kind extends DraftableKind ? true : false;
};

const kinds: { readonly [Kind in PaperKind]: TraitsOf<Kind> } = {
  image: {
    ...usual,
    icon: 'picture',
    takesPictures: true,
    takesGuests: true,
    needs: [],
    canBePart: true,
    drawsTitle: false,
    isDraftable: false,
  },
  album: {
    ...usual,
    icon: 'pictures',
    takesPictures: true,
    isAlbum: true,
    takesGuests: true,
    needs: [],
    canBePart: false,
    drawsTitle: false,
    isDraftable: false,
  },
  text: { ...usual, needs: ['text'], canBePart: true, drawsTitle: true, isDraftable: true },
  calendar: {
    ...usual,
    icon: 'calendar',
    hasLogins: true,
    needs: ['calendars'],
    canBePart: true,
    drawsTitle: true,
    isDraftable: true,
  },
  slides: {
    ...usual,
    icon: 'turns',
    isComposed: true,
    needs: ['selectedPapers'],
    canBePart: false,
    drawsTitle: false,
    isDraftable: true,
  },
  playlist: {
    ...usual,
    icon: 'clock',
    isComposed: true,
    needs: ['playlistEntries'],
    canBePart: false,
    drawsTitle: false,
    isDraftable: true,
  },
  website: {
    ...usual,
    icon: 'globe',
    hasLogins: true,
    needs: ['url'],
    canBePart: true,
    drawsTitle: false,
    isDraftable: true,
  },
  recipe: {
    ...usual,
    icon: 'live',
    hasLogins: true,
    needs: ['recipe'],
    canBePart: true,
    drawsTitle: false,
    isDraftable: true,
  },
  remote: {
    ...usual,
    icon: 'picture',
    hasLogins: true,
    needs: ['url'],
    canBePart: true,
    drawsTitle: false,
    isDraftable: true,
  },
  board: {
    ...usual,
    icon: 'board',
    isComposed: true,
    needs: ['parts'],
    canBePart: false,
    drawsTitle: false,
    isDraftable: true,
  },
  plugin: { ...usual, icon: 'puzzle', needs: [], canBePart: false, drawsTitle: false, isDraftable: false },
  testcard: { ...usual, icon: 'testcard', needs: [], canBePart: true, drawsTitle: false, isDraftable: true },
  printer: {
    ...usual,
    icon: 'printer',
    takesGuests: true,
    needs: [],
    canBePart: false,
    drawsTitle: true,
    isDraftable: false,
  },
};

/** A kind of paper that people make here; those of a printer are made by the program that prints. */
export type OfferedKind = Exclude<PaperKind, 'printer'>;

/** The kinds that are offered, in the order of the list above. */
export const offeredKinds = (Object.keys(kinds) as PaperKind[]).filter(
  (kind): kind is OfferedKind => kind !== 'printer',
);

/** The kinds that can be made for a paper that shows others. */
export const partKinds = offeredKinds.filter((kind) => kinds[kind].canBePart);

const unknown: KindTraits = { ...usual, needs: [], canBePart: false, drawsTitle: false, isDraftable: false };

const isKnown = (kind: string): kind is PaperKind => Object.hasOwn(kinds, kind);

/** Returns how the console handles papers of a kind; for a kind that it does not know it does nothing. */
export const traitsOf = (kind: string): KindTraits => (isKnown(kind) ? kinds[kind] : unknown);

/** Whether papers of a kind can be seen before they are saved. */
export const isDraftable = (kind: string): kind is DraftableKind => traitsOf(kind).isDraftable;

/** Returns the name of a kind; that of a client's own is its own. */
export const kindName = (kind: string): string => (isKnown(kind) ? t(`kind.${kind}`) : kind);

/** Returns what stands for a kind in a list of all kinds; undefined for a kind of a client's own. */
export const ofKind = <Value>(all: Readonly<Record<PaperKind, Value>>, kind: string): Value | undefined =>
  isKnown(kind) ? all[kind] : undefined;
