/** The typed fields of a source, and the source that they make once they are whole. */
import { type Signal, signal } from '@preact/signals';
import { firstField, type SourceKind } from './source-kinds.ts';
import { isCloudLink, isImmichLink, isWholeAddress } from './whole-address.ts';

/** The parts of an Immich library that can be chosen. */
export const immichParts = ['albums', 'people', 'favourites', 'memories', 'search'] as const;
export type ImmichPart = (typeof immichParts)[number];

/** The museums, as the service names them. */
export const museums = ['chicago', 'met'] as const;

/** The fields of a source that is being entered. */
export interface SourceFields {
  readonly kind: SourceKind;
  readonly address: Signal<string>;
  readonly apiKey: Signal<string>;
  readonly user: Signal<string>;
  readonly password: Signal<string>;
  readonly root: Signal<string>;
  readonly museum: Signal<string>;
  readonly search: Signal<string>;
  readonly part: Signal<ImmichPart>;
  /** The ids of albums, people or folders. */
  readonly chosen: Signal<readonly string[]>;
  readonly withSubfolders: Signal<boolean>;
}

/** Returns empty fields. */
export const sourceFields = (kind: SourceKind, root = ''): SourceFields => ({
  kind,
  address: signal(''),
  apiKey: signal(''),
  user: signal(''),
  password: signal(''),
  root: signal(root),
  museum: signal(museums[0]),
  search: signal(''),
  part: signal('albums'),
  chosen: signal([]),
  withSubfolders: signal(true),
});

/** A source as the service takes it. */
export type EnteredSource = Readonly<Record<string, unknown>> & { readonly kind: SourceKind };

/** The shortest search of a museum that is tried while it is typed. */
const leastSearch = 3;

/** Returns the place that was entered, without what is chosen there; undefined while it is not whole. */
export function enteredPlace(fields: SourceFields): EnteredSource | undefined {
  const { kind } = fields;
  const [address, apiKey] = [fields.address.value.trim(), fields.apiKey.value.trim()];
  const [user, password] = [fields.user.value.trim(), fields.password.value.trim()];
  const [root, search] = [fields.root.value, fields.search.value.trim()];
  if (firstField[kind] === 'address' && !isWholeAddress(kind, address)) return undefined;
  switch (kind) {
    case 'immich':
      if (isImmichLink(address)) return { kind, address, ...(password !== '' && { password }) };
      return apiKey === '' ? undefined : { kind, address, apiKey };
    case 'webdav': {
      // Half a login would be a wrong one, after which servers answer late; a public link has a password alone.
      const isHalf = isCloudLink(address) ? false : (user === '') !== (password === '');
      if (isHalf) return undefined;
      return { kind, address, ...(user !== '' && { user }), ...(password !== '' && { password }) };
    }
    case 'folder':
      return root === '' ? undefined : { kind, root };
    case 'museum':
      return search.length < leastSearch ? undefined : { kind, museum: fields.museum.value, search };
    default:
      return { kind, address };
  }
}

/** Whether what is at the place has to be chosen before it can be added. */
export const needsChoice = ({ kind, address }: SourceFields): boolean =>
  kind === 'immich' && !isImmichLink(address.value) && !/\/albums\/[\da-f-]{36}/i.test(address.value);

/** Returns the source with what was chosen; undefined while something is missing. */
export function enteredSource(fields: SourceFields): EnteredSource | undefined {
  const place = enteredPlace(fields);
  if (place === undefined) return undefined;
  const [ids, part] = [fields.chosen.value, fields.part.value];
  if (fields.kind === 'webdav' || fields.kind === 'folder') {
    const folders = ids.length === 0 ? {} : { folders: ids };
    return { ...place, ...folders, ...(!fields.withSubfolders.value && { withSubfolders: false }) };
  }
  if (!needsChoice(fields)) return place;
  if (part === 'search') {
    const text = fields.search.value.trim();
    return text === '' ? undefined : { ...place, choice: { by: part, text } };
  }
  if (part === 'favourites' || part === 'memories') return { ...place, choice: { by: part } };
  return ids.length === 0 ? undefined : { ...place, choice: { by: part, ids } };
}
