/** Elements that a person named by a CSS selector: waited for, clicked on. */
import type { Page } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, pause, timedOut } from '../../runtime/limit-time.ts';
import { NotRendered } from '../browser/not-rendered.ts';
import { clickElement, type Found, findElement } from '../in-page/elements.ts';
import { leftItself } from './await-readiness.ts';

const lookEveryMs = 100;
/** What one look may take: a selector may keep a page busy for ever. */
const lookMs = 5_000;

/** A selector, shortened, for a person. */
export const shownSelector = (selector: string): string => JSON.stringify(selector.slice(0, 80));

/**
 * Asks a page for an element.
 * @throws NotRendered where the selector is none, or finding it takes too long: the page is ended then, whatever it does
 */
async function ask(page: Page, look: (selector: string) => Found, selector: string, clock: Clock): Promise<boolean> {
  const found = await limitTime(clock, lookMs, page.evaluate(look, selector)).catch(leftItself);
  if (found === timedOut) throw new NotRendered(reasonOf('page-selector-slow', { selector: shownSelector(selector) }));
  if (found === 'invalid') throw new NotRendered(reasonOf('page-no-selector', { selector: shownSelector(selector) }));
  return found === 'found';
}

/**
 * Waits for an element.
 * @throws NotRendered where it does not come in time
 */
export async function awaitElement(page: Page, selector: string, mostMs: number, clock: Clock): Promise<void> {
  const end = clock.now() + mostMs;
  while (!(await ask(page, findElement, selector, clock))) {
    if (clock.now() >= end) throw new NotRendered(reasonOf('page-lacks', { selector: shownSelector(selector) }));
    await pause(clock, lookEveryMs);
  }
}

/** Clicks on an element, where there is one. @returns whether there is */
export const clickOn = (page: Page, selector: string, clock: Clock): Promise<boolean> =>
  ask(page, clickElement, selector, clock);
