/** Who comes with a guest link, how many pictures it still takes, and for which panel they are. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Orientation, Panel } from '../../../firmware-protocol/panels.ts';
import { Refusal } from '../../../reasons/refusals.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import { panelOf } from '../../devices/device-panel.ts';
import { deviceWaitingFor } from '../../papers/awaited-pictures.ts';
import { type Guest, requireGuest } from '../../papers/guest-links.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { devicesShowing } from '../../papers/shown-by.ts';
import type { PaperDeps } from './paper-deps.ts';

/**
 * Finds the guest by the header. Unknown secrets are counted by address (T-70).
 * @throws Refusal that states whether the link is unknown, revoked or expired, or `rate-limited`
 */
export async function guestOf(
  { db, clock, limitGuests }: PaperDeps,
  { headers, address }: { readonly headers: IncomingHttpHeaders; readonly address: string },
): Promise<Guest> {
  const bucket = `address ${addressBucket(address)}`;
  await limitGuests.check(bucket);
  try {
    return await requireGuest(db, String(headers['x-guest-link'] ?? ''), clock.now());
  } catch (error) {
    if (error instanceof Refusal && error.code === 'guest-link-unknown') await limitGuests.count(bucket);
    throw error;
  }
}

/** The number of pictures that the link still takes; null without a limit. */
export const leftOf = ({ link: { max_pictures, used } }: Guest): number | null =>
  max_pictures === null ? null : Math.max(0, max_pictures - used);

/** The panel of the first device that shows the guest's paper, or is to show it with its first picture, and how it hangs there; undefined when none is known. */
export async function panelForGuest(
  { db }: Pick<PaperDeps, 'db'>,
  { paper }: Guest,
): Promise<{ readonly panel: Panel; readonly orientation: Orientation } | undefined> {
  const [showing] = await devicesShowing(db, paper.id);
  const device = showing ?? (await deviceWaitingFor(db, paper));
  const panel = device && panelOf(device);
  return panel && { panel, orientation: orientationOf(paper.meta, device?.meta) };
}
