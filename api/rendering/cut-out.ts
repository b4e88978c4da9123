/** The picture of one element of a page: as large as it fits, on the colour that it lies on. */
import type { Page } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { NotRendered } from '../browser/not-rendered.ts';
import type { PageSize } from '../browser/open-visit.ts';
import { openImage } from '../images/configure-sharp.ts';
import { boxOf, type ElementBox } from '../in-page/elements.ts';
import { awaitElement, shownSelector } from './await-element.ts';
import { answerOf } from './await-readiness.ts';

/** A small element is drawn larger, sharp as it is; beyond this it would be a few letters. */
const maxScale = 4;
/** A long element is drawn smaller down to this, and then its upper part alone: text has to be readable. */
const minScale = 0.5;

/** The part of an element that is photographed, and how large. */
export function partOf({ x, y, width, height }: ElementBox, size: PageSize) {
  const whole = Math.min(size.width / width, size.height / height, maxScale);
  const scale = Math.max(whole, Math.min(minScale, maxScale));
  return { x, y, width: Math.min(width, size.width / scale), height: Math.min(height, size.height / scale), scale };
}

/**
 * Photographs an element alone.
 * @throws NotRendered where it takes no room
 */
export async function photographElement(page: Page, selector: string, size: PageSize, clock: Clock): Promise<Buffer> {
  const element = await awaitElement(page, selector, 0, clock);
  const box = await answerOf(page.evaluate(boxOf, element), clock);
  if (box === null) throw new NotRendered(reasonOf('page-lacks', { selector: shownSelector(selector) }));
  const clip = partOf(box, size);
  const png = await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: true, clip });
  const { data, info } = await openImage(png)
    .resize(size.width, size.height, { fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer({ resolveWithObject: true });
  const [across, down] = [size.width - info.width, size.height - info.height];
  const [left, top] = [Math.floor(across / 2), Math.floor(down / 2)];
  const sides = { left, top, right: across - left, bottom: down - top, background: box.colour };
  return openImage(data).extend(sides).png({ compressionLevel: 1 }).toBuffer();
}
