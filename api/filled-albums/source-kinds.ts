/** The kinds of sources, one row each: the fields that a person fills in, the part that others see, and how it is opened. */
import { z } from 'zod';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { localDate } from '../../runtime/local-time.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { storedObject } from '../http/field-shapes.ts';
import { readPlainUrl } from '../outgoing/plain-url.ts';
import type { PaperRow } from '../papers/store.ts';
import { openFeedSource } from '../picture-sources/feed/feed-source.ts';
import { openFolderSource } from '../picture-sources/folder/folder-source.ts';
import { openICloud } from '../picture-sources/icloud/icloud-source.ts';
import { readICloudLink } from '../picture-sources/icloud/read-icloud-link.ts';
import { type ImmichLogin, immichChoice } from '../picture-sources/immich/immich-settings.ts';
import { openImmich } from '../picture-sources/immich/immich-source.ts';
import { type ImmichAddress, readImmichAddress } from '../picture-sources/immich/read-immich-address.ts';
import { openMuseumSource } from '../picture-sources/museums/museum-source.ts';
import { type PictureSource, type SourceDeps, SourceFault } from '../picture-sources/source.ts';
import { readWebdavAddress } from '../picture-sources/webdav/webdav-address.ts';
import { openWebdavSource } from '../picture-sources/webdav/webdav-source.ts';
import { albumChoices } from './album-choices.ts';

const address = z.string().trim().min(1).max(2_000);
const secret = z.string().trim().min(1).max(500);
const folders = {
  folders: z
    .array(z.string().max(1_000))
    .max(50)
    .optional()
    .describe('folders by their ids; left out, the whole of it'),
  withSubfolders: z.boolean().optional().describe('whether folders below count; left out, they do'),
};

/** The fields that a person fills in for a source. They may hold secrets, and are sealed as a whole. */
export const enteredSource = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('immich'),
    address: address.describe('of the server, or a shared link'),
    apiKey: secret.optional(),
    password: secret.optional().describe('of a shared link'),
    choice: immichChoice.optional(),
  }),
  z.strictObject({
    kind: z.literal('webdav'),
    address: address.describe('of a folder, of a cloud’s page, or a public link'),
    user: secret.optional(),
    password: secret.optional(),
    ...folders,
  }),
  z.strictObject({ kind: z.literal('icloud'), address: address.describe('the public link of a shared album') }),
  z.strictObject({
    kind: z.literal('folder'),
    root: z.string().min(1).max(100).describe('the name of a folder that the operator admits'),
    ...folders,
  }),
  z.strictObject({ kind: z.literal('feed'), address: address.describe('of RSS, Atom, a JSON feed or a JSON list') }),
  z.strictObject({
    kind: z.literal('museum'),
    museum: z.enum(['chicago', 'met']),
    search: z.string().trim().min(1).max(200),
  }),
]);

/** The fields that are a login, and that belong to the place for which they were entered. */
export const secretFields = ['apiKey', 'user', 'password'] as const;

/** The fields that may change of a source; those that do not belong to its kind are refused. */
export const enteredChange = z.object({
  address: address.optional(),
  apiKey: secret.optional(),
  user: secret.optional(),
  password: secret.optional(),
  choice: immichChoice.optional(),
  search: z.string().trim().min(1).max(200).optional(),
  ...folders,
});

/** The filled-in fields of a source. */
export type EnteredSource = z.output<typeof enteredSource>;
/** The name of a kind. */
export type SourceKindName = EnteredSource['kind'];
type Entered<Kind extends SourceKindName> = Extract<EnteredSource, { kind: Kind }>;

/** A folder of this machine that the operator admits. */
export interface PictureFolder {
  readonly name: string;
  readonly path: string;
}

/** The surroundings in which a source is opened. */
export interface OpenDeps extends SourceDeps {
  /** The day of which memories are shown, `YYYY-MM-DD`. */
  readonly day: string;
  readonly pictureFolders: readonly PictureFolder[];
  readonly dataFolder: string;
}

interface SourceKind<Kind extends SourceKindName> {
  /** Opens it; a mistake in what was entered is a fault of the kind `unusable`. */
  readonly open: (deps: OpenDeps, entered: Entered<Kind>) => PictureSource;
  /** Where it is asked, as people may see it: a host or a folder, never a link. */
  readonly place: (entered: Entered<Kind>) => string;
  /** Whether it lists other pictures each day, so that those of yesterday are not missed. */
  readonly isOfDay?: (entered: Entered<Kind>) => boolean;
}

const hostOf = (text: string): string => parseUrl(text)?.hostname ?? parseUrl(`https://${text}`)?.hostname ?? '';

/** Returns what was read of an address. */
function readOr<Read extends object>(read: Read | Reason): Read {
  if ('code' in read) throw new SourceFault('unusable', read);
  return read;
}

const kinds: { readonly [Kind in SourceKindName]: SourceKind<Kind> } = {
  immich: {
    open(deps, entered) {
      const read: ImmichAddress = readOr(readImmichAddress(entered.address));
      const choice = entered.choice ?? (read.album === undefined ? undefined : { by: 'albums', ids: [read.album] });
      const settings = { server: read.server, ...(choice !== undefined && { choice }) } as const;
      return openImmich(deps, { settings, login: immichLoginOf(read, entered), day: deps.day });
    },
    place: (entered) => hostOf(entered.address),
    isOfDay: ({ choice }) => choice?.by === 'memories',
  },
  webdav: {
    open(deps, { address: written, user, password, folders: chosen = [], withSubfolders = true }) {
      const settings = { ...readOr(readWebdavAddress(written)), folders: chosen, withSubfolders };
      return openWebdavSource(deps, settings, { user, password });
    },
    place: (entered) => hostOf(entered.address.replace(/^(?:web)?davs?:/i, 'https:')),
  },
  icloud: {
    open(deps, { address: link }) {
      readOr(readICloudLink(link));
      return openICloud(deps, { link });
    },
    place: () => 'icloud.com',
  },
  folder: {
    open(deps, { root, folders: [folder = ''] = [], withSubfolders = true }) {
      const known = deps.pictureFolders.find(({ name }) => name === root);
      if (known === undefined) throw new SourceFault('gone', reasonOf('album-source-folder-unknown', { root }));
      const source = openFolderSource(deps, { root: known.path, dataFolder: deps.dataFolder, folder, withSubfolders });
      // The path of the operator's folder is nobody else's business; its name is.
      const named = folder === '' ? { title: root } : {};
      return { ...source, summarize: async () => ({ ...(await source.summarize()), ...named }) };
    },
    place: ({ root }) => root,
  },
  feed: {
    open(deps, entered) {
      const url = readPlainUrl(entered.address);
      if (!(url instanceof URL)) throw new SourceFault('unusable', url);
      return openFeedSource(deps, { address: url });
    },
    place: (entered) => hostOf(entered.address),
  },
  museum: {
    open: (deps, { museum, search }) => openMuseumSource(deps, { museum, search }),
    place: ({ museum, search }) => `${museum === 'met' ? 'The Met' : 'Art Institute of Chicago'}: ${search}`,
  },
};

function immichLoginOf({ link }: ImmichAddress, { apiKey, password }: Entered<'immich'>): ImmichLogin {
  const opened = password === undefined ? {} : { password };
  if (link !== undefined) return 'key' in link ? { linkKey: link.key, ...opened } : { linkSlug: link.slug, ...opened };
  if (apiKey === undefined) throw new SourceFault('denied', reasonOf('album-source-key-missing'));
  return { apiKey };
}

/** A kind without its own type: what was entered says which one it is. */
const kindOf = ({ kind }: EnteredSource) => kinds[kind] as unknown as SourceKind<SourceKindName>;

/**
 * Opens a source with what was entered of it.
 * @throws SourceFault for an address or a login that cannot be right
 */
function openSource(deps: OpenDeps, entered: EnteredSource): PictureSource {
  const { open, isOfDay } = kindOf(entered);
  return { ...open(deps, entered), isOfDay: isOfDay?.(entered) === true };
}

/** Returns where a source is asked, as people may see it. */
export const placeOfSource = (entered: EnteredSource): string => kindOf(entered).place(entered);

/** A use of a source of an album. */
interface SourceUse {
  readonly paper: Pick<PaperRow, 'id' | 'organization_id' | 'meta'>;
  readonly signal: AbortSignal;
}

/** Opens sources for an organization, with what the operator admits for it. */
export interface SourceOpener {
  /** @throws SourceFault for an address or a login that cannot be right */
  open(use: SourceUse, entered: EnteredSource): PictureSource;
  /** Returns the folders of the machine that an organization may use. */
  foldersFor(organizationId: string): readonly PictureFolder[];
}

/** Makes the opener of a service. */
export function sourceOpener({
  follow,
  clock,
  dataFolder,
  foldersFor,
}: Pick<OpenDeps, 'follow' | 'clock' | 'dataFolder'> & Pick<SourceOpener, 'foldersFor'>): SourceOpener {
  return {
    foldersFor,
    open({ paper: { id, organization_id, meta }, signal }, entered) {
      const { timeZone } = albumChoices(storedObject(meta));
      const own = { sharer: [organization_id, 'album', id], signal, day: localDate(clock.now(), timeZone) };
      return openSource({ follow, clock, dataFolder, ...own, pictureFolders: foldersFor(organization_id) }, entered);
    },
  };
}
