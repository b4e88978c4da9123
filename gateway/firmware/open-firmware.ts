/** Firmware of one gateway: what is offered, told, served and watched, behind one value. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../runtime/clock.ts';
import type { Database } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { openImages } from './images.ts';
import { type FirmwareTalk, offerFirmware } from './offer-firmware.ts';
import { firmwareDownloads } from './serve-firmware.ts';
import { openShelf } from './shelf.ts';
import { watchRollout } from './watch-rollouts.ts';

/** How often rollouts are looked at: a person's word takes effect within this time. */
export const firmwareWatchMs = 5_000;

/** What firmware is handed. */
export interface FirmwareEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly dataFolder: string;
  readonly frameUrl: () => string;
  readonly publicUrl: () => string;
}

/** Firmware of a gateway. */
export interface Firmware {
  readonly talk: FirmwareTalk;
  /** Answers a request for a manifest or an image; false when it is for somebody else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Resolves when everything that is offered is in memory. */
  start(): Promise<void>;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** Puts the room together. Nothing happens until `start`. */
export async function openFirmware(edges: FirmwareEdges): Promise<Firmware> {
  const { clock, logger } = edges;
  const shelf = openShelf({ ...edges, images: await openImages(edges.dataFolder) });
  let timer: Timer | undefined;
  let passing: Promise<void> = Promise.resolve();

  async function pass(): Promise<void> {
    await shelf.refresh();
    const paused = [];
    for (const rollout of shelf.rollouts()) {
      const reason = await watchRollout(edges, rollout);
      if (reason === undefined) continue;
      paused.push(rollout.id);
      const { id, kind, dialect, version } = rollout;
      logger.error({ rollout: id, kind, dialect, version, reason }, 'firmware rollout paused by itself');
    }
    if (paused.length > 0) await shelf.refresh();
  }

  function look(): void {
    passing = pass()
      .catch((error: unknown) => logger.error({ error }, 'rollouts could not be looked at; what was known stays'))
      .then(() => {
        if (timer !== undefined) timer = clock.after(firmwareWatchMs, look);
      });
  }

  return {
    talk: offerFirmware({ ...edges, shelf }),
    serve: firmwareDownloads({ ...edges, shelf }),
    async start() {
      await shelf.refresh();
      timer = clock.after(firmwareWatchMs, look);
    },
    async stop() {
      timer?.cancel();
      timer = undefined;
      await passing;
    },
  };
}
