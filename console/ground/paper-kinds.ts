/** What the console does with papers of each kind. When the API names another kind, this list does not compile without it. */
import type { Schemas } from '../../client/contract.ts';
import { t } from './words.ts';

/** A kind that the service can draw; papers of other clients may have kinds of their own. */
export type PaperKind = Schemas['PaperKind'];

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
}

const none: KindTraits = {
  icon: 'papers',
  takesPictures: false,
  isAlbum: false,
  takesGuests: false,
  hasLogins: false,
};

const kinds: Readonly<Record<PaperKind, KindTraits>> = {
  image: { ...none, icon: 'picture', takesPictures: true, takesGuests: true },
  album: { ...none, icon: 'pictures', takesPictures: true, isAlbum: true, takesGuests: true },
  text: none,
  calendar: { ...none, icon: 'calendar', hasLogins: true },
  slides: { ...none, icon: 'turns' },
  playlist: { ...none, icon: 'clock' },
  website: { ...none, icon: 'globe', hasLogins: true },
  plugin: { ...none, icon: 'puzzle' },
  testcard: { ...none, icon: 'testcard' },
  printer: { ...none, icon: 'printer', takesGuests: true },
};

/** A kind of which people make papers here; those of a printer are made by what prints. */
export type OfferedKind = Exclude<PaperKind, 'printer'>;

/** The kinds that are offered, in the order of the list above. */
export const offeredKinds = (Object.keys(kinds) as PaperKind[]).filter(
  (kind): kind is OfferedKind => kind !== 'printer',
);

const isKnown = (kind: string): kind is PaperKind => Object.hasOwn(kinds, kind);

/** Returns what the console does with papers of a kind: nothing with those of a kind that it does not know. */
export const traitsOf = (kind: string): KindTraits => (isKnown(kind) ? kinds[kind] : none);

/** Returns the name of a kind; that of a client's own is its own. */
export const kindName = (kind: string): string => (isKnown(kind) ? t(`kind.${kind}`) : kind);

/** Returns what stands for a kind in a list of all kinds; undefined for a kind of a client's own. */
export const ofKind = <Value>(all: Readonly<Record<PaperKind, Value>>, kind: string): Value | undefined =>
  isKnown(kind) ? all[kind] : undefined;
