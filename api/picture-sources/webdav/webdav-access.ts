/** Access to a folder over WebDAV: the way to it, the login, and what its server answers. */
import { reasonOf } from '../../../reasons/reason.ts';
import type { FollowedAnswer } from '../../outgoing/follow-redirects.ts';
import { askForFiles, faultOfStatus, type SourceQuestion } from '../ask-for-files.ts';
import { type SourceDeps, SourceFault } from '../source.ts';
import { askFolder, type DavListing } from './ask-folder.ts';
import { askCloud, type Cloud } from './cloud-status.ts';
import { pathOfKey } from './folder-path.ts';
import type { DavResponse } from './read-response.ts';
import type { WebdavWay } from './webdav-address.ts';

/** The folder that a source was opened with. */
export interface DavRoot extends WebdavWay {
  readonly self: DavResponse;
  /** The program that answers, such as `Nextcloud 31.0.2`. */
  readonly server: string | undefined;
}

export interface DavAccess {
  /** Finds the way to the folder; the first use alone asks. */
  open(): Promise<DavRoot>;
  /** Lists a folder by its key, empty for the one that was opened; undefined where it is not there, or is not to be seen. */
  list(folder: string, maxBytes?: number): Promise<DavListing | undefined>;
  /** Asks for a single file or folder; undefined where it is not there. */
  stat(key: string): Promise<DavResponse | undefined>;
  /** Asks for something of the same server, with the login. */
  ask(question: SourceQuestion): Promise<FollowedAnswer>;
}

/** The most of one folder: 64 MB are some 80,000 files (WD-5). */
const maxListedBytes = 64 * 1024 * 1024;
const maxOfOneBytes = 256 * 1024;
/** Statuses of servers that know nothing of WebDAV at an address, or of that way to it. */
const elsewhere: readonly number[] = [200, 400, 404, 405, 410, 501];

/** Returns the ways that a cloud has. That its public link is gone is known then, without trying other ones. */
const waysIn = (ways: readonly WebdavWay[], { ways: known }: Cloud): readonly WebdavWay[] =>
  ways.filter(({ of }) => (of === undefined ? ways.every(({ token }) => token === undefined) : known.includes(of)));

const noFolder = (): SourceFault => new SourceFault('unusable', reasonOf('album-source-no-webdav'));

/** Opens the access. Nothing is asked for yet. */
export function webdavAccess(deps: SourceDeps, ways: readonly WebdavWay[]): DavAccess {
  const ask = askPatiently(deps);
  let opened: DavRoot | undefined;

  async function open(): Promise<DavRoot> {
    if (opened !== undefined) return opened;
    const { cloud: place } = ways[0] ?? {};
    const cloud = place === undefined ? undefined : await askCloud(deps, place);
    const possible = cloud === undefined ? ways : waysIn(ways, cloud);
    let last: SourceFault | undefined;
    for (const way of possible) {
      const { answer, listing } = await askRoot(way, ask);
      if (answer.status === 207 && listing.self?.isFolder === true) {
        const root = new URL(answer.url.origin + answer.url.pathname.replace(/\/?$/, '/'));
        opened = { ...way, root, self: listing.self, server: cloud?.name ?? listing.server };
        return opened;
      }
      const fault = faultOfStatus(answer, deps.clock.now());
      if (answer.status !== 207 && !elsewhere.includes(answer.status)) throw fault;
      // That something is gone says more than that another way does not exist.
      last = fault.kind === 'gone' ? fault : (last ?? noFolder());
    }
    throw last ?? noFolder();
  }

  async function look(key: string, depth: '0' | '1', maxBytes: number): Promise<DavListing | undefined> {
    const root = await open();
    const url = key === '' ? root.root : new URL(pathOfKey(key) + (depth === '1' ? '/' : ''), root.root);
    const { answer, listing } = await askFolder({ url, depth, maxBytes }, (question) => ask(root, question));
    if (answer.status === 207) return listing;
    if (key !== '' && [403, 404, 410].includes(answer.status)) return undefined;
    throw faultOfStatus(answer, deps.clock.now());
  }

  return {
    open,
    list: (folder, maxBytes = maxListedBytes) => look(folder, '1', maxBytes),
    stat: async (key) => (await look(key, '0', maxOfOneBytes))?.self,
    ask: async (question) => ask(await open(), question),
  };
}

type Ask = (way: WebdavWay, question: SourceQuestion) => Promise<FollowedAnswer>;

/** Makes the asking with a login. After the first refusal nothing more is asked: clouds slow down whole houses for it (WD-2). */
function askPatiently(deps: SourceDeps): Ask {
  let denied: SourceFault | undefined;
  return async ({ authorization }, question) => {
    if (denied !== undefined) throw denied;
    const ownHeaders = { ...question.ownHeaders, ...(authorization !== undefined && { authorization }) };
    const answer = await askForFiles(deps, { ...question, ownHeaders });
    if (answer.status !== 401) return answer;
    denied = faultOfStatus(answer, deps.clock.now());
    throw denied;
  };
}

/** Asks for the folder itself. One that is reached by a redirect lists itself under its new address, and is asked once more. */
async function askRoot(way: WebdavWay, ask: Ask) {
  const askAt = (url: URL) => askFolder({ url, depth: '0', maxBytes: maxOfOneBytes }, (question) => ask(way, question));
  const first = await askAt(way.root);
  const { url, status } = first.answer;
  return status === 207 && first.listing.self === undefined && url.href !== way.root.href ? askAt(url) : first;
}
