/** Elements that a person named by a CSS selector: waited for, clicked on. */
import type { ElementHandle, Page } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime, pause, timedOut } from '../../runtime/limit-time.ts';
import { NotRendered } from '../browser/not-rendered.ts';
import { clickElement, findElement } from '../in-page/elements.ts';
import { answerOf, leftItself } from './await-readiness.ts';

const lookEveryMs = 100;
/** The time that one look may take: a selector may keep a page busy for ever. */
const lookMs = 5_000;

/** A selector, shortened, for a person. */
export const shownSelector = (selector: string): string => JSON.stringify(selector.slice(0, 80));

/**
 * Asks a page for an element.
 * @throws NotRendered where the selector is not one, or finding it takes too long: the page is ended then, whatever it does
 */
async function ask(page: Page, selector: string, clock: Clock): Promise<ElementHandle | undefined> {
  const found = await limitTime(
    clock,
    lookMs,
    page.evaluateHandle<[string], (selector: string) => unknown>(findElement, selector),
  ).catch(leftItself);
  if (found === timedOut) throw new NotRendered(reasonOf('page-selector-slow', { selector: shownSelector(selector) }));
  const element = found.asElement() as ElementHandle | null;
  if (element !== null) return element;
  if ((await answerOf<unknown>(found.jsonValue(), clock)) !== 'invalid') return undefined;
  throw new NotRendered(reasonOf('page-no-selector', { selector: shownSelector(selector) }));
}

/**
 * Waits for an element, and returns it.
 * @throws NotRendered where it does not come in time
 */
export async function awaitElement(page: Page, selector: string, mostMs: number, clock: Clock): Promise<ElementHandle> {
  const end = clock.now() + mostMs;
  for (;;) {
    const element = await ask(page, selector, clock);
    if (element !== undefined) return element;
    if (clock.now() >= end) throw new NotRendered(reasonOf('page-lacks', { selector: shownSelector(selector) }));
    await pause(clock, lookEveryMs);
  }
}

/** Clicks on an element, where there is one. @returns whether there is */
export async function clickOn(page: Page, selector: string, clock: Clock): Promise<boolean> {
  const element = await ask(page, selector, clock);
  if (element !== undefined) await answerOf(page.evaluate(clickElement, element), clock);
  return element !== undefined;
}
