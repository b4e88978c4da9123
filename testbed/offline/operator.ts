/**
 * The people of the organization: they create papers, move frames between them, upload pictures, and change
 * integrations.
 */
import type { Principal } from '../../api/access/principal.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Answer, CallOptions, SimulatedCall } from './calls.ts';
import { type Home, type HungFrame, orientation, pluginMeta } from './home.ts';
import type { Chance } from './machine/chance.ts';
import { isDatabaseAway } from './machine/database-away.ts';

/** Everything that the people of the organization do. */
export interface Operator {
  /** Ids of the papers that integrations push to. */
  readonly papers: readonly string[];
  /** Creates the papers and shows them on the frames: which one is drawn unless it is given, by their places from 0. */
  settleIn(wanted: { readonly papers: number; readonly paperOf?: (place: number) => number }): Promise<void>;
  /** Makes a frame show another paper or none; a frame and a paper that are not named are drawn. */
  assign(deviceId?: string, paper?: string | null): Promise<void>;
  /** Takes a member's right to connect away, or gives it back when it was taken. */
  leave(member: Principal): Promise<void>;
  /** Gives a member the right to connect back. */
  comeBack(member: Principal): Promise<void>;
  /** Gives every member the right to connect back. */
  welcome(): Promise<void>;
  /** Uploads the next picture of the paper that shows pictures. */
  upload(): Promise<void>;
  /**
   * Sends an image to a frame itself, which shows it until its paper has something new. A frame that is not named is
   * drawn.
   */
  sendImage(deviceId?: string): Promise<void>;
  /** The images that may have reached a frame itself. */
  imagesOf(deviceId: string): readonly Buffer[];
  /** Saves the other one of two manifests for a paper. A paper that is not named is drawn. */
  changeIntegration(paperId?: string): Promise<void>;
}

/** The dependencies of the people. `chance` draws what they decide. */
interface OperatorDeps {
  readonly call: SimulatedCall;
  readonly chance: Chance;
  readonly note: (what: string) => void;
  readonly db: () => Database | undefined;
}

/** Everything that the people remember. */
interface OperatorState {
  readonly deps: OperatorDeps;
  readonly home: Home;
  readonly papers: string[];
  /** The version of the manifest of each paper where it is not the first. */
  readonly versions: Map<string, number>;
  /** Accounts of the members whose right to connect was taken. */
  readonly left: Set<string>;
  /** Images that were sent to frames, by device id. */
  readonly images: Map<string, Buffer[]>;
  picturePaper: string;
  /** The number of pictures that were uploaded so far. */
  pictures: number;
}

/** Creates the people of an organization; `settleIn` makes them begin. */
export function operatorOf(deps: OperatorDeps, home: Home): Operator {
  const operator: OperatorState = {
    deps,
    home,
    papers: [],
    versions: new Map(),
    left: new Set(),
    images: new Map(),
    picturePaper: '',
    pictures: 0,
  };
  const { papers, left, images } = operator;
  return {
    papers,
    upload: () => upload(operator),
    sendImage: (deviceId) => sendImage(operator, deviceId),
    imagesOf: (deviceId) => images.get(deviceId) ?? [],
    async leave(member) {
      await setRole(operator, member, left.has(member.accountId) ? 'admin' : 'onlyself');
      if (!left.delete(member.accountId)) left.add(member.accountId);
    },
    async comeBack(member) {
      if (left.delete(member.accountId)) await setRole(operator, member, 'admin');
    },
    async welcome() {
      for (const member of home.members) await setRole(operator, member, 'admin');
      left.clear();
    },
    async settleIn({ papers: count, paperOf }) {
      for (let at = 0; at < count; at++) papers.push(await createPaper(operator, 'plugin', pluginMeta(1)));
      operator.picturePaper = await createPaper(operator, 'image', { orientation });
      await upload(operator);
      for (const [place, { deviceId }] of home.frames.entries()) {
        const paper = paperOf === undefined ? deps.chance.pick(papers) : papers[paperOf(place)];
        await showPaper(operator, deviceId, paper ?? null);
      }
    },
    assign: (deviceId, paper) => assign(operator, deviceId, paper),
    changeIntegration: (paperId) => changeIntegration(operator, paperId),
  };
}

function callAsOwner({ deps, home }: OperatorState, options: Omit<CallOptions, 'as'>): Promise<Answer> {
  return deps.call({ ...options, as: home.owner as Principal });
}

async function createPaper(operator: OperatorState, kind: string, meta: object): Promise<string> {
  const { frames, organizationId } = operator.home;
  const body = { deviceId: frames[0]?.deviceId, kind, organization: organizationId, meta };
  const made = await callAsOwner(operator, { route: 'POST /papers/', body });
  if (made.kind !== 'ok') throw new Error(`no paper: ${JSON.stringify(made)}`);
  return (made.value as { id: string }).id;
}

function showPaper(operator: OperatorState, deviceId: string, paper: string | null): Promise<Answer> {
  return callAsOwner(operator, { route: 'POST /devices/:deviceId', params: { deviceId }, body: { paper } });
}

/** Changes a member in the database, again until it is there: the module of the service that does so does not run here. */
async function setRole({ deps }: OperatorState, { accountId }: Principal, role: 'admin' | 'onlyself'): Promise<void> {
  for (let isAway = true; isAway; ) {
    isAway = await changeRole(deps, accountId, role).then(
      () => false,
      (error: unknown) => {
        if (isDatabaseAway(error)) return true;
        throw error;
      },
    );
  }
  deps.note(`member ${accountId.slice(-4)} is ${role}`);
}

async function changeRole({ db }: OperatorDeps, accountId: string, role: string): Promise<void> {
  await db()?.('users').where({ account_id: accountId }).update({ role });
}

async function upload(operator: OperatorState): Promise<void> {
  const bytes = Buffer.from(`picture ${++operator.pictures}`);
  const params = { paperId: operator.picturePaper };
  const files = [{ field: 'picture', content: bytes }];
  const answer = await callAsOwner(operator, { route: 'POST /papers/uploadSingleImage/:paperId', params, files });
  operator.deps.note(`upload ${operator.pictures} ${answer.kind}`);
}

async function sendImage(operator: OperatorState, wantedDevice: string | undefined): Promise<void> {
  const { deviceId, serial } = namedOrDrawnFrame(operator, wantedDevice);
  const bytes = Buffer.from(`image ${++operator.pictures}`);
  operator.images.set(deviceId, [...(operator.images.get(deviceId) ?? []), bytes]);
  const answer = await callAsOwner(operator, {
    route: 'POST /devices/uploadSingleImage/:deviceId',
    params: { deviceId },
    files: [{ field: 'picture', content: bytes }],
  });
  operator.deps.note(`image ${operator.pictures} to ${serial} ${answer.kind}`);
}

async function assign(
  operator: OperatorState,
  wantedDevice: string | undefined,
  wantedPaper: string | null | undefined,
): Promise<void> {
  const { papers, picturePaper, deps } = operator;
  const { chance } = deps;
  const { deviceId, serial } = namedOrDrawnFrame(operator, wantedDevice);
  const drawn = chance.hits(wantedDevice === undefined ? 0.8 : 0.3)
    ? chance.pick(papers)
    : chance.pick([picturePaper, picturePaper, null]);
  const paper = wantedPaper === undefined ? drawn : wantedPaper;
  const answer = await showPaper(operator, deviceId, paper);
  deps.note(`assign ${serial} to ${paper} ${answer.kind}`);
}

async function changeIntegration(operator: OperatorState, wantedPaper: string | undefined): Promise<void> {
  const { papers, versions, home, deps } = operator;
  const paperId = wantedPaper ?? deps.chance.pick(papers);
  const version = 3 - (versions.get(paperId) ?? 1);
  const body = {
    deviceId: home.frames[0]?.deviceId,
    kind: 'plugin',
    organization: home.organizationId,
    meta: pluginMeta(version),
  };
  const answer = await callAsOwner(operator, { route: 'POST /papers/:paperId', params: { paperId }, body });
  if (answer.kind === 'ok') versions.set(paperId, version);
  deps.note(`integration of ${paperId} now ${version} ${answer.kind}`);
}

function namedOrDrawnFrame({ home, deps }: OperatorState, wantedDevice: string | undefined): HungFrame {
  return home.frames.find((frame) => frame.deviceId === wantedDevice) ?? deps.chance.pick(home.frames);
}
