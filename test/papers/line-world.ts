/** The delivery line over an HTTP world. */

import sharp from 'sharp';
import { deliveryLine } from '../../api/delivery/delivery-line.ts';
import { renderForFrames } from '../../api/drawing/draw-paper.ts';
import { timedShower } from '../../api/timed-pictures/show-timed.ts';
import { alone } from '../../cluster/alone.ts';
import { openPictures } from '../../gateway/pictures/open-pictures.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { nothingOutside, workOnNone } from '../delivery/nothing-outside.ts';
import { type HttpWorld, type WorldOptions, withHttp } from '../http/world.ts';

export interface DrawnLineWorld extends HttpWorld {
  /** How often a picture was prepared. */
  draws(): number;
  /** Lets the line do what is due. */
  settles(): Promise<void>;
}

/** Colours that every intent and every palette dithers in its own way. */
export function gradient(): Promise<Buffer> {
  const [width, height] = [200, 120];
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rgb.set([x, 2 * y, 255 - x], (y * width + x) * 3);
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .resize(800, 480)
    .png()
    .toBuffer();
}

/** The delivery line over the rows of an HTTP world; pages are played, dithering is real. */
export async function withDrawnLine(
  run: (world: DrawnLineWorld) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  const page = await gradient();
  await withHttp(
    async (world) => {
      const { db, clock, random, pictures, frames } = world;
      let draws = 0;
      const deps = { db, clock, random, logger: silentLogger };
      const traitsOf = () => ({
        knowsDigests: true,
        probesFirst: false,
        proves: 'reported' as const,
        provesAtOnce: true,
        knowsCommands: true,
      });
      const line = deliveryLine({
        ...deps,
        cluster: alone,
        gateway: { ...openPictures({ ...deps, pictures, traitsOf, lost: () => {} }), announce: frames.announce },
        authorized: async () => true,
        callbacksOwed: () => {},
        pollRecipe: async () => false,
        showTimed: timedShower({
          ...deps,
          files: pictures,
          rendering: world.rendering,
          frames,
          normalizeImage: async () => ({ ok: false, problem: 'broken' }),
        }),
        render: renderForFrames({
          db,
          clock,
          files: pictures,
          logger: silentLogger,
          signImage: () => '',
          pageOf: async () => ({ url: 'https://page.example/', manifest: { name: 'Page' } }),
          ...nothingOutside,
          readCalendars: async () => ({
            calendarAuth: { status: 'ok', calendars: {} },
            calendarData: { calendars: [], events: [] },
          }),
          rendering: {
            renderPage: async () => ({ ok: true, png: page, warnings: [] }),
            workOnRecipe: workOnNone,
            renderDocument: async ({ width, height }) => ({
              ok: true,
              // Black above, so that it is another picture the other way round.
              rgb: new Uint8Array(width * height * 3).fill(255, width * 30),
              missing: '',
            }),
            preparePicture(image, options) {
              draws++;
              return world.rendering.preparePicture(image, options);
            },
          },
        }),
      });
      line.start();
      try {
        await run({
          ...world,
          draws: () => draws,
          async settles() {
            line.nudge();
            await line.idle();
          },
        });
      } finally {
        await line.stop();
      }
    },
    { drawPatienceMs: 10_000, ...options },
  );
}
