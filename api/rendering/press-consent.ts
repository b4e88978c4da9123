/**
 * Takes the cookie banner of a website away, because it would hide the page for as long as the paper hangs: by the rules of its
 * maker, or by its own button. What refuses is pressed before what accepts: nobody is asked here
 * ([decision 51](../../docs/decisions/0051-websites-that-wait.md)).
 */
import type { Frame, Page } from 'puppeteer';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, timedOut } from '../../runtime/limit-time.ts';
import { watchedName } from '../in-page/page-changes.ts';
import { mayHaveBanner, pressInFrame } from '../in-page/press-in-frame.ts';
import { bannerScript } from './banner-script.ts';
import { bannerWords } from './banner-words.ts';

const maxFrames = 10;
const frameTimeoutMs = 5_000;
/** Some makers' dialogs need several steps, each of which takes its time. */
const rulesTimeoutMs = 10_000;
const quickMs = 1_000;

/** Answers at most one banner of a website. @returns whether there was one, which needs some time to go */
export async function pressConsent(page: Page, clock: Clock): Promise<boolean> {
  // A frame that is gone or busy has no banner to press; what became of the page is asked of it afterwards.
  const ask = async <T>(ms: number, asking: Promise<T>): Promise<T | undefined> => {
    const answer = await limitTime(clock, ms, asking).catch(() => undefined);
    return answer === timedOut ? undefined : answer;
  };
  const main = page.mainFrame();
  if ((await ask(quickMs, main.evaluate(mayHaveBanner, { subject: bannerWords.subject }))) !== true) return false;
  const frames = [main, ...page.frames().filter((frame) => frame !== main)].slice(0, maxFrames);
  const script = await bannerScript();
  const answer = async (frame: Frame): Promise<boolean> => (await ask(rulesTimeoutMs, frame.evaluate(script))) === true;
  const press = async (frame: Frame): Promise<boolean> => {
    const pressed = await ask(frameTimeoutMs, frame.evaluate(pressInFrame, { ...bannerWords, watchedName }));
    return pressed !== undefined && pressed !== 'none';
  };
  for (const frame of frames) if (await answer(frame)) return true;
  for (const frame of frames) if (await press(frame)) return true;
  return false;
}
