/** The firmware of one gateway: it is offered, announced, served and watched. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Cluster, LeaseLost } from '../../cluster/cluster.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { inRounds } from '../../runtime/rounds.ts';
import { type FirmwareOffers, offerFirmware } from './offer-firmware.ts';
import { openRolloutCache } from './rollout-cache.ts';
import { firmwareDownloads } from './serve-firmware.ts';
import { watchRollout } from './watch-rollouts.ts';

/** The interval in which rollouts are looked at: a change that a person makes takes effect within this time. */
export const firmwareWatchMs = 5_000;

export interface FirmwareDeps extends CommonDeps {
  /** The folder of the images. */
  readonly images: DurableFolder;
  readonly frameUrl: () => string;
  readonly publicUrl: () => string;
  /** One process decides about rollouts. */
  readonly cluster: Pick<Cluster, 'single'>;
}

/** The firmware functions of a gateway. */
export interface Firmware {
  readonly offers: FirmwareOffers;
  /** Answers a request for a manifest or an image; false when it is for somebody else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Resolves when every offered image is in memory. */
  start(): Promise<void>;
  /** Resolves when no pass is under way. */
  stop(): Promise<void>;
}

/** Composes the parts of this room. Nothing happens until `start`. */
export function openFirmware(deps: FirmwareDeps): Firmware {
  const { clock, logger } = deps;
  const { single } = deps.cluster;
  const rolloutCache = openRolloutCache(deps);

  async function pass(): Promise<void> {
    await rolloutCache.refresh();
    if (!single.isOurs()) return;
    const paused = [];
    for (const rollout of rolloutCache.rollouts()) {
      const reason = await watchRollout({ ...deps, single }, rollout);
      if (reason === undefined) continue;
      paused.push(rollout.id);
      const { id, kind, dialect, version } = rollout;
      logger.warn(
        { rollout: id, kind, dialect, version, reason: wordsOf(reason) },
        'firmware rollout paused by itself',
      );
    }
    if (paused.length > 0) await rolloutCache.refresh();
  }

  const rounds = inRounds(clock, firmwareWatchMs, () =>
    pass().catch((error: unknown) => {
      if (error instanceof LeaseLost) return;
      logger.error({ error }, 'rollouts could not be looked at; what was known stays');
    }),
  );
  return {
    offers: offerFirmware({ ...deps, rolloutCache }),
    serve: firmwareDownloads({ ...deps, rolloutCache }),
    async start() {
      await rolloutCache.refresh();
      rounds.start();
    },
    stop: rounds.stop,
  };
}
