/** Firmware in a gateway's world: images, rollouts, and what a native frame does with an offer. */
import { createHash } from 'node:crypto';
import { addImage, type FirmwareDialect, openImages } from '../../gateway/firmware/images.ts';
import { offerLog } from '../../gateway/firmware/offer-log.ts';
import { firmwareWatchMs } from '../../gateway/firmware/open-firmware.ts';
import { type Rollout, type RolloutOptions, rolloutLog, startRollout } from '../../gateway/firmware/rollouts.ts';
import { watchMs } from '../../gateway/frames/watch-presence.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type NativeLine, nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { type GatewayWorld, until } from './world.ts';

/** A firmware as `desired` names it. */
export interface Offered {
  readonly offer: string;
  readonly version: string;
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The bytes of an image. */
export function imageFile(version: string, bytes = 70_000): Buffer {
  return Buffer.alloc(bytes, createHash('sha256').update(version).digest());
}

/** Takes an image in, and starts a rollout of it that the gateway knows of when this returns. */
export async function rollOut(
  world: GatewayWorld,
  version: string,
  more: { dialect?: FirmwareDialect; percent?: number; serial?: string; owned?: RolloutOptions['owned'] } = {},
): Promise<Rollout> {
  const { db, clock, dataFolder } = world;
  const deps = { db, random: systemRandom(clock), images: await openImages(dataFolder) };
  const which = { kind: 'epd7', dialect: more.dialect ?? 'native', version } as const;
  await addImage(deps, { ...which, file: imageFile(version) }, clock.now());
  const { percent = 100, serial, owned } = more;
  const wish = { ...which, percent, serial, ...(owned && { owned }) };
  const rollout = await startRollout(deps, wish, clock.now());
  await looks(world);
  return rollout;
}

/** Lets this much time pass, then the gateway look for frames that stay away, and at its rollouts. */
export async function looks(world: GatewayWorld, afterMs = 0): Promise<void> {
  const { clock } = world;
  clock.elapses(afterMs);
  for (const everyMs of [watchMs, firmwareWatchMs]) {
    await until(() => clock.isArmed(everyMs), 'the look before is over');
    clock.elapses(everyMs);
    await until(() => clock.isArmed(everyMs), 'the look is over');
  }
}

export async function rolloutNow(world: GatewayWorld, id: string): Promise<Rollout> {
  const rollout = await rolloutLog(world.db).find(id);
  if (rollout === undefined) throw new Error(`no rollout ${id}`);
  return rollout;
}

/** Returns the outcome of each frame, by serial. */
export async function outcomes(world: GatewayWorld, rolloutId: string): Promise<Record<string, string | null>> {
  const offers = await offerLog(world.db).ofRollout(rolloutId);
  return Object.fromEntries(offers.map(({ serial, outcome }) => [serial, outcome]));
}

export interface UpdatingFrame extends NativeLine {
  /** Says hello and returns what firmware the answer offers. */
  offered(more?: Record<string, unknown>): Promise<Offered | undefined>;
  update(offer: string, phase: string, reason?: string): Promise<boolean>;
  /** Fetches an image as a frame does; its digest, undefined when there was none. */
  take(firmware: Offered): Promise<string | undefined>;
  /** Says bye and is gone. */
  leave(sleepSeconds?: number): Promise<void>;
}

/** A registered native frame with its link up. */
export async function updatingFrame(world: GatewayWorld, serial: string): Promise<UpdatingFrame> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const frame = await nativeLine(world, serial, credential);
  const isGone = async () => (await world.gateway.facts(serial))?.connected === false;
  return {
    ...frame,
    async offered(more) {
      await frame.hello(more);
      return (await frame.line.message()).firmware as Offered | undefined;
    },
    update: (offer, phase, reason) => frame.say('update', { offer, phase, ...(reason !== undefined && { reason }) }),
    async take(firmware) {
      const got = await getPicture(firmware.url);
      await world.downloadsSettled();
      return got?.status === 200 ? createHash('sha256').update(got.body).digest('hex') : undefined;
    },
    async leave(sleepSeconds = 1) {
      await frame.say('bye', { sleepSeconds });
      frame.line.vanish();
      await until(isGone, 'its connection is gone');
    },
  };
}
