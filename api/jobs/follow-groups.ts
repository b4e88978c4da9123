/** Finds frames that have joined groups, and has them given what those give. A frame that leaves a group keeps what it has. */
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { devicesOf } from './addressees.ts';
import type { FrameChange } from './frame-change.ts';
import { groupsOfDevice, wonBy } from './group-rules.ts';
import { changesOfGifts, type GroupRow, groupStore, lockGroups, paperGift, rankedGroup } from './group-store.ts';
import type { JobDeps } from './job-deps.ts';
import { type JobRules, plainRules } from './job-rules.ts';
import type { JobRow } from './job-store.ts';
import { insertJob, type JobFrame } from './make-job.ts';

type Device = Awaited<ReturnType<typeof devicesOf>>[number];
type GroupDeps = Pick<JobDeps, 'db' | 'clock' | 'random'>;

/** Everything about the groups of an organization at a moment. */
interface Scene {
  readonly groups: readonly GroupRow[];
  readonly devices: readonly Device[];
  /** The ids of the groups that each device is in, by device. */
  readonly inGroups: ReadonlyMap<string, ReadonlySet<string>>;
}

async function sceneOf(db: Database, organizationId: string): Promise<Scene> {
  const groups = await groupStore(db).list(organizationId);
  const ranked = groups.map(rankedGroup);
  const devices = groups.length === 0 ? [] : await devicesOf(db, organizationId);
  return { groups, devices, inGroups: new Map(devices.map((device) => [device.id, groupsOfDevice(device, ranked)])) };
}

/**
 * Returns the frames that get each change of a group, as far as none of their other groups gives that in its place.
 * @param gets whether a frame gets a gift now
 */
function giftsOf(
  group: GroupRow,
  frames: readonly Device[],
  { groups, inGroups }: Scene,
  gets: (frame: Device, gift: string) => boolean,
) {
  const ranked = groups.map(rankedGroup);
  const byChange = new Map<string, { readonly change: FrameChange; readonly frames: JobFrame[] }>();
  for (const frame of frames) {
    const own = ranked.filter(({ id }) => inGroups.get(frame.id)?.has(id));
    const won = wonBy(group.id, own).filter((gift) => gets(frame, gift));
    for (const change of changesOfGifts(group, won)) {
      const key = JSON.stringify(change);
      const known = byChange.get(key) ?? { change, frames: [] };
      known.frames.push(frame);
      byChange.set(key, known);
    }
  }
  return [...byChange.values()];
}

/** The gifts of a group that go to frames which had joined it before, too. */
export interface GivenAgain {
  readonly paper: boolean;
  readonly settings: boolean;
}

const noneAgain: GivenAgain = { paper: false, settings: false };

/**
 * Has the frames of a group given what it gives: those that have joined since get everything, the others what is given again.
 * @returns the jobs that do it
 */
export async function giveToGroup(
  deps: GroupDeps,
  trx: Transaction,
  group: GroupRow,
  { rules = plainRules, again = noneAgain }: { readonly rules?: JobRules; readonly again?: GivenAgain },
): Promise<JobRow[]> {
  const scene = await sceneOf(trx, group.organization_id);
  return giveIn(deps, trx, group, { scene, rules, again });
}

interface GivingToGroup {
  readonly scene: Scene;
  readonly rules: JobRules;
  readonly again: GivenAgain;
}

async function giveIn(
  deps: GroupDeps,
  trx: Transaction,
  group: GroupRow,
  { scene, rules, again }: GivingToGroup,
): Promise<JobRow[]> {
  const now = deps.clock.now();
  const store = groupStore(trx);
  const members = (await store.members(group.organization_id)).get(group.id) ?? new Set<string>();
  const inside = scene.devices.filter(({ id }) => scene.inGroups.get(id)?.has(group.id));
  const insideIds = new Set(inside.map(({ id }) => id));
  await store.leave(
    group.id,
    [...members].filter((id) => !insideIds.has(id)),
  );
  const joined = new Set(
    await store.join(
      group.id,
      inside.map(({ id }) => id).filter((id) => !members.has(id)),
      now,
    ),
  );
  const gets = ({ id }: Device, gift: string): boolean =>
    joined.has(id) || (gift === paperGift ? again.paper : again.settings);
  const jobs: JobRow[] = [];
  for (const { change, frames: some } of giftsOf(group, inside, scene, gets)) {
    if (change.kind === 'paper' && !(await isThere(trx, group))) continue;
    const author = { accountId: group.account_id, name: group.author };
    const wanted = { organizationId: group.organization_id, name: group.name, change, groupId: group.id };
    jobs.push(await insertJob(trx, deps, author, { ...wanted, frames: some, rules }));
  }
  return jobs;
}

/** A paper that was deleted since is given to nobody. */
async function isThere(trx: Transaction, { paper_id, organization_id }: GroupRow): Promise<boolean> {
  return paper_id !== null && (await trx('papers').where({ id: paper_id, organization_id }).first('id')) !== undefined;
}

/** Looks at all organizations with groups whose devices or groups were changed since its last look. */
export function groupFollower(deps: GroupDeps): () => Promise<void> {
  const { db } = deps;
  const seen = new Map<string, string>();
  return async () => {
    for (const [organization, mark] of await marksOf(db)) {
      if (seen.get(organization) === mark) continue;
      await transact(db, async (trx) => {
        await lockGroups(trx, organization);
        const scene = await sceneOf(trx, organization);
        for (const group of scene.groups)
          await giveIn(deps, trx, group, { scene, rules: plainRules, again: noneAgain });
      });
      seen.set(organization, mark);
    }
  };
}

interface MarkRow {
  readonly organization_id: string;
  readonly count: unknown;
  readonly at: unknown;
}

/** Returns, of each organization with groups, what changes with every change of its devices and groups. */
async function marksOf(db: Database): Promise<ReadonlyMap<string, string>> {
  const groups: MarkRow[] = await db('frame_groups')
    .groupBy('organization_id')
    .select('organization_id')
    .count({ count: '*' })
    .max({ at: 'changed_at' });
  if (groups.length === 0) return new Map();
  const devices: MarkRow[] = await db('devices')
    .whereIn('organization_id', db('frame_groups').distinct('organization_id'))
    .groupBy('organization_id')
    .select('organization_id')
    .count({ count: '*' })
    .max({ at: 'updated_at' });
  const marks = new Map(devices.map(({ organization_id: id, count, at }) => [id, [count, at]]));
  return new Map(groups.map(({ organization_id: id, count, at }) => [id, JSON.stringify([count, at, marks.get(id)])]));
}
