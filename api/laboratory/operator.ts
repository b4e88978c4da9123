/** The people of the house: they hang papers, move frames between them, upload pictures, and change integrations. */
import type { Database } from '../../gateway/runtime/database.ts';
import type { Principal } from '../directory/principal.ts';
import type { Answer, Call, Wish } from './calls.ts';
import type { Chance } from './chance.ts';
import { type Home, orientation, pluginMeta } from './home.ts';

export interface Operator {
  /** Ids of the papers that integrations push to. */
  readonly papers: readonly string[];
  /** Creates the papers and shows them on the frames. */
  settleIn(papers: number): Promise<void>;
  /** Makes a frame show another paper, or none: any, unless they are named. */
  assign(deviceId?: string, paper?: string | null): Promise<void>;
  /** Takes a person's right to connect, or gives it back. */
  leave(member: Principal): Promise<void>;
  /** Gives a person that right back. */
  comeBack(member: Principal): Promise<void>;
  /** Gives everybody their rights back. */
  welcome(): Promise<void>;
  upload(): Promise<void>;
  /** Sends an image to a frame itself, which shows it until its paper has something new: any frame, unless it is named. */
  sendImage(deviceId?: string): Promise<void>;
  /** Images that may have been sent to a frame itself. */
  imagesOf(deviceId: string): readonly Buffer[];
  /** Saves another manifest for a paper, or the first one again. */
  changeIntegration(paperId?: string): Promise<void>;
}

/** @param chance what they decide by */
export function operatorOf(
  edges: { call: Call; chance: Chance; note: (what: string) => void; db: () => Database | undefined },
  home: Home,
): Operator {
  const { chance, note } = edges;
  const { owner, organizationId, frames } = home;
  const papers: string[] = [];
  let picturePaper = '';
  let pictures = 0;
  const versions = new Map<string, number>();
  const left = new Set<string>();
  const images = new Map<string, Buffer[]>();
  const call = (wish: Omit<Wish, 'as'>): Promise<Answer> => edges.call({ ...wish, as: owner as Principal });

  async function create(kind: string, meta: object): Promise<string> {
    const body = { deviceId: frames[0]?.deviceId, kind, organization: organizationId, meta };
    const made = await call({ route: 'POST /papers/', body });
    if (made.kind !== 'ok') throw new Error(`no paper: ${JSON.stringify(made)}`);
    return (made.value as { id: string }).id;
  }
  const show = (deviceId: string, paper: string | null): Promise<Answer> =>
    call({ route: 'POST /devices/:deviceId', params: { deviceId }, body: { paper } });

  /** Members are changed in a room of the service that does not run here. */
  async function setRole({ accountId }: Principal, role: 'admin' | 'onlyself'): Promise<void> {
    await edges.db()?.('users').where({ account_id: accountId }).update({ role });
    note(`member ${accountId.slice(-4)} is ${role}`);
  }
  async function upload(): Promise<void> {
    const bytes = Buffer.from(`picture ${++pictures}`);
    const params = { paperId: picturePaper };
    const files = [{ field: 'picture', bytes }];
    const answer = await call({ route: 'POST /papers/uploadSingleImage/:paperId', params, files });
    note(`upload ${pictures} ${answer.kind}`);
  }

  return {
    papers,
    upload,
    async sendImage(wanted) {
      const { deviceId, serial } = frames.find((frame) => frame.deviceId === wanted) ?? chance.pick(frames);
      const bytes = Buffer.from(`image ${++pictures}`);
      images.set(deviceId, [...(images.get(deviceId) ?? []), bytes]);
      const files = [{ field: 'picture', bytes }];
      const answer = await call({ route: 'POST /devices/uploadSingleImage/:deviceId', params: { deviceId }, files });
      note(`image ${pictures} to ${serial} ${answer.kind}`);
    },
    imagesOf: (deviceId) => images.get(deviceId) ?? [],
    async leave(member) {
      await setRole(member, left.has(member.accountId) ? 'admin' : 'onlyself');
      if (!left.delete(member.accountId)) left.add(member.accountId);
    },
    async comeBack(member) {
      if (left.delete(member.accountId)) await setRole(member, 'admin');
    },
    async welcome() {
      for (const member of home.members) await setRole(member, 'admin');
      left.clear();
    },
    async settleIn(count) {
      for (let at = 0; at < count; at++) papers.push(await create('plugin', pluginMeta(1)));
      picturePaper = await create('image', { orientation });
      await upload();
      for (const { deviceId } of frames) await show(deviceId, chance.pick(papers));
    },
    async assign(wanted, wantedPaper) {
      const { deviceId, serial } = frames.find((frame) => frame.deviceId === wanted) ?? chance.pick(frames);
      const drawn = chance.hits(wanted === undefined ? 0.8 : 0.3)
        ? chance.pick(papers)
        : chance.pick([picturePaper, picturePaper, null]);
      const paper = wantedPaper === undefined ? drawn : wantedPaper;
      const answer = await show(deviceId, paper);
      note(`assign ${serial} to ${paper} ${answer.kind}`);
    },
    async changeIntegration(wanted) {
      const paperId = wanted ?? chance.pick(papers);
      const version = 3 - (versions.get(paperId) ?? 1);
      const body = {
        deviceId: frames[0]?.deviceId,
        kind: 'plugin',
        organization: organizationId,
        meta: pluginMeta(version),
      };
      const answer = await call({ route: 'POST /papers/:paperId', params: { paperId }, body });
      if (answer.kind === 'ok') versions.set(paperId, version);
      note(`integration of ${paperId} now ${version} ${answer.kind}`);
    },
  };
}
