/** From a loaded document to a page that may be photographed: its own word, or a website's quiet, and what a person asked for. */
import type { Page } from 'puppeteer';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { pause } from '../../runtime/limit-time.ts';
import { LeftItself, NotRendered } from '../browser/not-rendered.ts';
import { asksToSignIn, uncover } from '../in-page/elements.ts';
import { type LastWord, settleAndRead } from '../in-page/page-scripts.ts';
import { awaitElement, clickOn, shownSelector } from './await-element.ts';
import { type Awaited, awaitQuiet } from './await-quiet.ts';
import { answerOf, awaitReadiness } from './await-readiness.ts';
import { pressConsent } from './press-consent.ts';

/** The time that a page's fonts and images get at its end. */
const settleTimeoutMs = 5_000;
/** The moves by script that a website may make, as from a start page to the one in a person's language. */
const maxMoves = 3;
/** The longest waits for an element: one that a person waits for, and one that is only cut out. */
const elementMs = { waited: 20_000, cut: 8_000 };
/** Where something that a person named is waited for, it decides when a page is done. */
const shortQuietMs = 3_000;

/** The requirements of a page before its picture is taken. */
export interface PageWishes {
  /**
   * The data of INIT. A page without it is not an integration's: nothing is posted, and it may redirect anywhere public.
   */
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
  readonly css?: string | undefined;
  /** The condition before the picture is taken: a CSS selector that must exist, or a time in milliseconds. */
  readonly waitFor?: string | number | undefined;
  /** A CSS selector of the element that is clicked, if it exists, before anything is awaited. Websites only. */
  readonly clickFirst?: string | undefined;
  /** A CSS selector of the one element that is photographed, as large as it fits. Websites only. */
  readonly cutOut?: string | undefined;
  /** The time that a page with markers may take after INIT; it is less if the page loaded slowly. */
  readonly markerTimeoutMs?: number | undefined;
  /** A page that is not ready by then fails; without this it is drawn as it is. */
  readonly mustBeReady?: boolean | undefined;
}

type SettleOptions = PageWishes & { readonly markerTimeoutMs: number };

/** A page that may be photographed: its last word, and the remarks on its picture. */
export interface SettledPage extends LastWord {
  readonly remarks: readonly Reason[];
}

/**
 * Waits until a page may be photographed.
 * @param firstOrigin of the document as it was loaded
 * @throws NotRendered
 */
export async function settlePage(awaited: Awaited, firstOrigin: string, options: SettleOptions): Promise<SettledPage> {
  const { page, clock } = awaited;
  const isWebsite = options.payload === undefined;
  const steps = websiteSteps(awaited, options);
  for (let moves = 0, origin = firstOrigin; ; moves++) {
    try {
      const { payload, markerTimeoutMs } = options;
      const untilDone = isWebsite ? { untilDone: steps.untilQuiet } : {};
      const late = await awaitReadiness(page, { origin, payload, markerTimeoutMs, ...untilDone }, clock);
      if (late !== undefined && options.mustBeReady === true)
        throw new NotRendered(reasonOf('page-not-ready', { seconds: late }));
      if (isWebsite) await steps.clear();
      await steps.awaitWished();
      const word = await lastWord(page, options, clock);
      if (isWebsite) await steps.lookForForm();
      if (word.origin !== origin) throw new NotRendered(reasonOf('page-went', { origin }));
      const unready = late === undefined ? [] : [reasonOf('page-drawn-unready', { seconds: late })];
      return { ...word, remarks: [...unready, ...steps.remarks()] };
    } catch (error) {
      if (!isWebsite || !(error instanceof LeftItself) || moves === maxMoves) throw error;
      await page.waitForNetworkIdle({ idleTime: 200, timeout: settleTimeoutMs }).catch(() => {});
      origin = new URL(page.url()).origin;
    }
  }
}

function lastWord(page: Page, { css }: PageWishes, clock: Clock): Promise<LastWord> {
  const last = page.evaluate(settleAndRead, { css: css ?? null, limitMs: settleTimeoutMs });
  return answerOf(last, clock, settleTimeoutMs);
}

/** Makes the steps for a website before its picture; a click is made once, however often the page moves on it. */
function websiteSteps(awaited: Awaited, { waitFor, clickFirst, cutOut, payload }: SettleOptions) {
  const { page, clock, leftMs } = awaited;
  let isClicked = false;
  let unquiet: Reason | undefined;
  let unclicked: Reason | undefined;
  let signIn: Reason | undefined;

  async function untilQuiet(): Promise<void> {
    unquiet = await awaitQuiet(awaited, typeof waitFor === 'string' ? shortQuietMs : undefined);
  }

  return {
    untilQuiet,
    /** Makes the click that a person asked for, and takes a cookie banner away. */
    async clear(): Promise<void> {
      if (clickFirst !== undefined && !isClicked) {
        isClicked = await clickOn(page, clickFirst, clock);
        unclicked = isClicked ? undefined : reasonOf('page-click-lacks', { selector: shownSelector(clickFirst) });
        if (isClicked) await untilQuiet();
      }
      if (await pressConsent(page, clock)) await untilQuiet();
    },
    /** Waits for what a person asked for: milliseconds, or elements. */
    async awaitWished(): Promise<void> {
      if (typeof waitFor === 'number') await pause(clock, waitFor);
      if (typeof waitFor === 'string') {
        await awaitElement(page, waitFor, Math.min(elementMs.waited, leftMs()), clock);
        if (payload === undefined) await untilQuiet();
      }
      if (cutOut === undefined) return;
      const element = await awaitElement(page, cutOut, Math.min(elementMs.cut, leftMs()), clock);
      await answerOf(page.evaluate(uncover, element), clock);
    },
    async lookForForm(): Promise<void> {
      const isForm = await answerOf(page.evaluate(asksToSignIn), clock);
      signIn = isForm ? reasonOf('page-asks-to-sign-in') : undefined;
    },
    /** Returns the remarks on the picture. What a person waited for has come, whatever else moves. */
    remarks: (): Reason[] =>
      [typeof waitFor === 'string' ? undefined : unquiet, unclicked, signIn].filter((reason) => reason !== undefined),
  };
}
