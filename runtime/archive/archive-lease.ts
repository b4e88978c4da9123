/** The claim of one service on its archive. Two that write into one place see each other, and the later one waits. */
import type { Clock } from '../clock.ts';
import { leaseName, leasesPrefix, type NamedLease, readLeaseName } from './archive-names.ts';
import { ArchiveFault, type ArchivePlace } from './archive-place.ts';

/** A holder that was silent for so long has ended: it renews its lease several times meanwhile. */
export const silentMs = 180_000;
const renewMs = 30_000;

export interface LeaseKeeper {
  /**
   * Claims the place, or sees that it is still ours.
   * @param until the moment up to which all is archived
   * @returns the epoch, which grows with every claim
   * @throws ArchiveFault while another service archives there
   */
  hold(until: number): Promise<number>;
}

/** @param holder names this data folder; a restored one has another */
export function leaseKeeper(
  place: ArchivePlace,
  { holder, clock }: { readonly holder: string; readonly clock: Clock },
) {
  let ours: (NamedLease & { readonly putAt: number }) | undefined;
  let wasLost = false;
  let seen: { readonly name: string; readonly at: number } | undefined;

  const found = async (): Promise<readonly NamedLease[]> =>
    (await place.list(leasesPrefix)).map(readLeaseName).filter((lease) => lease !== undefined);

  async function put(epoch: number, renewal: number, until: number): Promise<NamedLease> {
    const lease = { epoch, holder, renewal, until };
    const name = leaseName(lease);
    await place.put(name, Buffer.from(`${holder}\n`));
    return { ...lease, name };
  }

  async function renew(held: NonNullable<typeof ours>, until: number): Promise<number> {
    const others = (await found()).filter(({ name }) => name !== held.name);
    const isLost = others.some((one) => one.epoch > held.epoch || (one.epoch === held.epoch && one.holder !== holder));
    if (isLost) {
      ours = undefined;
      wasLost = true;
      throw another();
    }
    const now = clock.now();
    if (Math.abs(now - held.putAt) < renewMs) return held.epoch;
    ours = { ...(await put(held.epoch, held.renewal + 1, until)), putAt: now };
    for (const { name } of [held, ...others]) await place.remove(name);
    return held.epoch;
  }

  async function claim(until: number): Promise<number> {
    const top = (await found()).at(-1);
    const now = clock.now();
    if (top !== undefined && (top.holder !== holder || wasLost)) {
      if (seen?.name !== top.name) seen = { name: top.name, at: now };
      if (now - seen.at < silentMs) throw another();
    }
    const lease = await put((top?.epoch ?? 0) + 1, 0, until);
    const since = (await found()).filter(({ name, epoch }) => name !== lease.name && epoch >= lease.epoch);
    if (since.length > 0) {
      await place.remove(lease.name);
      throw another();
    }
    ours = { ...lease, putAt: now };
    wasLost = false;
    return lease.epoch;
  }

  const keeper: LeaseKeeper = { hold: (until) => (ours === undefined ? claim(until) : renew(ours, until)) };
  return keeper;
}

function another(): ArchiveFault {
  return new ArchiveFault(
    'another service archives into the same place',
    'end one of the two, or give this one a place of its own; where the other has ended, this one goes on after three minutes',
    'taken',
  );
}
