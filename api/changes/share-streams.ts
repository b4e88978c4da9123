/** Shares the streams of changes by organization. */
import { allowanceOf, type Principal } from '../access/principal.ts';

/** Whose an open stream is. */
interface OpenStream {
  readonly sharer: string;
  readonly accountId: string;
}

/** Returns who a person's streams are counted for. */
export function streamSharer(principal: Principal): string {
  return allowanceOf(principal) ?? principal.accountId;
}

/**
 * Returns the stream that ends so that a sharer has one more: of those who have most, the account with the most streams,
 * and of these the newest. Undefined where nobody has at least two more than the sharer: otherwise the two would go on
 * taking each other's places.
 */
export function surplusStream<Stream extends OpenStream>(
  streams: ReadonlySet<Stream>,
  sharer: string,
): Stream | undefined {
  const all = [...streams];
  const counted = (nameOf: (one: Stream) => string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const one of all) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1);
    return counts;
  };
  const ofSharers = counted((one) => one.sharer);
  const ofAccounts = counted((one) => one.accountId);
  const most = Math.max(...ofSharers.values());
  if (most < (ofSharers.get(sharer) ?? 0) + 2) return undefined;
  const load = (one: Stream): number => ofAccounts.get(one.accountId) ?? 0;
  return all
    .filter((one) => ofSharers.get(one.sharer) === most)
    .reduce((chosen, one) => (load(one) >= load(chosen) ? one : chosen));
}
