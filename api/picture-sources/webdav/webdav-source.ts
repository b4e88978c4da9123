/** A folder over WebDAV as a source of pictures: Nextcloud, ownCloud, Synology, Apache and others. */
import { type PictureSource, type SourceChoice, type SourceDeps, SourceFault, type SourceSummary } from '../source.ts';
import type { DavListing } from './ask-folder.ts';
import { fetchDavFile, fetchDavHead, fetchPreview } from './fetch-file.ts';
import { isDavKey, nameOfPart } from './folder-path.ts';
import { foldersIn, picturesIn, type WalkedFolders, walkFolders } from './walk-folders.ts';
import { type DavAccess, webdavAccess } from './webdav-access.ts';
import { type WebdavAddress, type WebdavLogin, waysOfWebdav } from './webdav-address.ts';

/** The choice of a person: an address, and folders below it by their keys, as `choices` lists them. */
export interface WebdavSettings extends WebdavAddress, WalkedFolders {}

const coverSide = 320;
/** Folders are counted for a person who chooses, as long as that is cheap: this many, of so many bytes each. */
const counted = { folders: 12, bytes: 512 * 1024 } as const;
const maxChoices = 500;

/** Opens a folder as a source. Its login is sent with the first request. */
export function openWebdavSource(deps: SourceDeps, settings: WebdavSettings, login: WebdavLogin): PictureSource {
  const access = webdavAccess(deps, waysOfWebdav(settings, login));
  const folders = settings.folders.filter(isDavKey);
  const now = () => deps.clock.now();
  return {
    summarize: () => summarize(access, { folders, withSubfolders: settings.withSubfolders }),
    choices: () => listChoices(access),
    async cover(key) {
      const small = isDavKey(key) ? await fetchPreview(access, key, coverSide) : undefined;
      return small === 'none' ? undefined : small;
    },
    list: (before) => walkFolders(access, { folders, withSubfolders: settings.withSubfolders }, before),
    async fetchPicture(key, wish) {
      const content = await fetchDavFile(access, key, wish, now);
      return content === undefined ? undefined : { content };
    },
    fetchHead: (key) => fetchDavHead(access, key, now),
  };
}

async function summarize(access: DavAccess, { folders, withSubfolders }: WalkedFolders): Promise<SourceSummary> {
  const { root, self, server, token } = await access.open();
  const [only = '', ...more] = folders;
  const listing = more.length === 0 ? await access.list(only) : undefined;
  const pictures = picturesOf(only, listing);
  const isWhole = listing !== undefined && (!withSubfolders || foldersIn(only, listing.entries).length === 0);
  const [last = ''] = (only || root.pathname.replace(/\/$/, '')).split('/').slice(-1);
  const named = only === '' && self.title !== undefined && self.title !== token ? self.title : readable(last);
  const newestAt = pictures.reduce((newest, { arrivedAt = 0 }) => Math.max(newest, arrivedAt), 0);
  return {
    title: named === '' || named === token ? root.hostname : named,
    count: isWhole ? pictures.length : undefined,
    newestAt: newestAt === 0 ? undefined : newestAt,
    server: server?.slice(0, 60),
  };
}

/** Returns a part of an address or of a key as a person reads it. */
function readable(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return nameOfPart(part);
  }
}

const picturesOf = (folder: string, listing: DavListing | undefined) =>
  picturesIn(folder, listing?.entries ?? []).filter(({ sort }) => sort === 'picture');

async function listChoices(access: DavAccess): Promise<readonly SourceChoice[]> {
  const { cloud } = await access.open();
  const listing = await access.list('');
  const keys = foldersIn('', listing?.entries ?? []).slice(0, maxChoices);
  const choices: SourceChoice[] = [];
  for (const key of keys) {
    const choice = { id: key, sort: 'folder', name: nameOfPart(key) } as const;
    const inner = keys.length > counted.folders ? undefined : await listCheaply(access, key);
    const pictures = picturesOf(key, inner);
    const cover = cloud === undefined ? undefined : pictures[0]?.key;
    choices.push({ ...choice, ...(inner !== undefined && { count: pictures.length }), ...(cover && { cover }) });
  }
  return choices.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Lists a folder for its count; one that is too large is offered without a number. */
async function listCheaply(access: DavAccess, key: string): Promise<DavListing | undefined> {
  try {
    return await access.list(key, counted.bytes);
  } catch (error) {
    if (error instanceof SourceFault && error.kind === 'unusable') return undefined;
    throw error;
  }
}
