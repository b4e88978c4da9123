/**
 * Takes the cookie banner of a website away, because it would hide the page for as long as the paper hangs: by the rules of its
 * maker, or by its own button. What refuses is pressed before what accepts: nobody is asked here
 * ([decision 51](../../docs/decisions/0051-websites-that-wait.md)).
 */
import type { Frame, Page } from 'puppeteer';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime } from '../../runtime/limit-time.ts';
import { watchedName } from '../in-page/page-changes.ts';
import { findButtons, hideBanners, mayHaveBanner, pressButtons } from '../in-page/press-in-frame.ts';
import { bannerScript } from './banner-script.ts';
import { bannerWords } from './banner-words.ts';
import { evaluateBeside } from './beside-page.ts';

const maxFrames = 10;
const wordsTimeoutMs = 5_000;
/** Some makers' dialogs need several steps, each of which takes its time. */
const rulesTimeoutMs = 10_000;
const quickMs = 1_000;

/** Answers at most one banner of a website. @returns whether there was one, which needs some time to go */
export async function pressConsent(page: Page, clock: Clock): Promise<boolean> {
  const main = page.mainFrame();
  const look = evaluateBeside(page, mayHaveBanner, { subject: bannerWords.subject });
  if ((await limitTime(clock, quickMs, look).catch(() => false)) !== true) return false;
  const frames = [main, ...page.frames().filter((frame) => frame !== main)].slice(0, maxFrames);
  const script = await bannerScript();
  // A press may lead to another page; what became of a frame that is gone or busy is asked of the page afterwards.
  const isDone = async (frame: Frame, ms: number, asking: Promise<boolean>): Promise<boolean> => {
    const answer = await limitTime(clock, ms, asking).catch(() => frame === main);
    return answer === true;
  };
  for (const frame of frames)
    if (await isDone(frame, rulesTimeoutMs, frame.evaluate(script) as Promise<boolean>)) return true;
  for (const frame of frames) if (await isDone(frame, wordsTimeoutMs, pressInFrame(frame))) return true;
  return false;
}

async function pressInFrame(frame: Frame): Promise<boolean> {
  const found = await frame.evaluateHandle(findButtons, { subject: bannerWords.subject, watchedName });
  const isPressed = await frame.evaluate(pressButtons, found, bannerWords);
  const isHidden = await frame.evaluate(hideBanners, found);
  return isPressed || isHidden;
}
