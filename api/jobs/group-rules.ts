/** Which frames are in which groups, and which of several groups a frame follows. Pure. */
import { type CommonTrait, hasTrait, type TraitRow } from './addressees.ts';

/** Who is in a group: frames of a place, frames with a tag, or all frames of some other groups. */
export type GroupMatch = CommonTrait | { readonly groups: readonly string[] };

/** A group, as far as its frames and its rank depend on it. */
export interface RankedGroup {
  readonly id: string;
  readonly match: GroupMatch;
  /** When what it gives was changed last, epoch milliseconds. */
  readonly givenAt: number;
  /** The names of what it gives: `paper`, and fields of meta. */
  readonly gives: readonly string[];
}

/**
 * Returns whether a group would contain itself, through whatever groups it names.
 * @param groups all groups of the organization, without the one that is judged
 */
export function containsItself(
  { id, match }: Pick<RankedGroup, 'id' | 'match'>,
  groups: readonly Pick<RankedGroup, 'id' | 'match'>[],
): boolean {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const seen = new Set<string>();
  const left = [...partsOf(match)];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    left.push(...partsOf(byId.get(next)?.match));
  }
  return false;
}

const partsOf = (match: GroupMatch | undefined): readonly string[] =>
  match !== undefined && 'groups' in match ? match.groups : [];

/** Returns the ids of the groups that a device is in. A group that was removed has no frames. */
export function groupsOfDevice(device: TraitRow, groups: readonly Pick<RankedGroup, 'id' | 'match'>[]): Set<string> {
  const found = new Set<string>();
  for (const { id, match } of groups) if (!('groups' in match) && hasTrait(device, match)) found.add(id);
  // Each round adds groups that name one of the found; as many rounds as there are groups reach the deepest.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { id, match } of groups) if (partsOf(match).some((part) => found.has(part))) found.add(id);
  }
  return found;
}

/**
 * The rank of a group: a room goes before a floor, a floor before a building, a place before a tag, and both before a group
 * of groups.
 */
export function rankOf(match: GroupMatch): number {
  if ('groups' in match) return 0;
  if ('tag' in match) return 1;
  const { floor, room } = match.place;
  return room !== undefined ? 4 : floor !== undefined ? 3 : 2;
}

/** Returns which of two groups a frame follows where both give the same: by rank, then the one that was given it last. */
const compare = (one: RankedGroup, other: RankedGroup): number =>
  rankOf(other.match) - rankOf(one.match) || other.givenAt - one.givenAt || (one.id < other.id ? -1 : 1);

/** Returns what a frame gets of a group, by name: all that no other of its groups gives in its place. */
export function wonBy(groupId: string, groups: readonly RankedGroup[]): readonly string[] {
  const sorted = [...groups].sort(compare);
  const group = sorted.find(({ id }) => id === groupId);
  return (group?.gives ?? []).filter((name) => sorted.find(({ gives }) => gives.includes(name))?.id === groupId);
}
