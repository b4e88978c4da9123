/** A walk over a page by the Tab key alone. */
import type { Page } from 'puppeteer';

/** The result of a walk. */
export interface Walk {
  /** The names of the controls in the order of the walk. */
  readonly stops: readonly string[];
  /** The faults: a stop that is covered, outside of the window or without a sign of focus, a trap, a control left out. */
  readonly faults: readonly string[];
}

/** One press of the key. */
interface Step {
  readonly name: string;
  readonly state: 'stop' | 'within' | 'left' | 'back' | 'trap';
  readonly faults: readonly string[];
}

const maxStops = 400;
/** The parts of one control that take the focus one after the other: a date and time with its button have seven. */
const maxParts = 9;

/** Walks from the beginning of the page until the walk leaves it or is back at its beginning. */
export async function walkPage(page: Page): Promise<Walk> {
  await page.evaluate(untilStill);
  await page.evaluate(() => {
    for (const walked of document.querySelectorAll('[data-walked]')) walked.removeAttribute('data-walked');
    // What comes while the walk is under way, such as a new entry of a log, may lie behind it.
    for (const one of document.body.querySelectorAll<HTMLElement>('*')) one.dataset.stood = '';
    (document.activeElement as HTMLElement | null)?.blur();
    scrollTo(0, 0);
    getSelection()?.collapse(document.body, 0);
  });
  const [stops, faults]: [string[], string[]] = [[], []];
  for (let parts = 0; ; ) {
    await page.keyboard.press('Tab');
    const { name, state, faults: found } = await page.evaluate(judgeStop, stops.length);
    faults.push(...found);
    if (state === 'within' && ++parts < maxParts) continue;
    parts = 0;
    if (state === 'trap' || state === 'within') faults.push(`“${name}” holds the focus`);
    if (state !== 'stop') break;
    stops.push(name);
    if (stops.length > maxStops) throw new Error(`more than ${maxStops} stops at ${page.url()}`);
  }
  return { stops, faults: [...faults, ...(await page.evaluate(leftOut)), ...(await page.evaluate(namedTwice))] };
}

/** Waits until the page has kept its height for a while: what comes late moves what has the focus. Runs in the page. */
async function untilStill(): Promise<void> {
  let [height, since] = [0, performance.now()];
  for (const begun = since; performance.now() - since < 400 && performance.now() - begun < 10_000; ) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const { scrollHeight } = document.documentElement;
    if (scrollHeight !== height) [height, since] = [scrollHeight, performance.now()];
  }
}

/** Judges where the focus is; runs in the page. */
function judgeStop(count: number): Step {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement) || at === document.body) return { name: '', state: 'left', faults: [] };
  const name = `${at.tagName.toLowerCase()} ${at.getAttribute('aria-label') ?? (at.innerText || at.id)}`.slice(0, 60);
  const walked = at.dataset.walked;
  if (walked !== undefined) {
    const state = walked === String(count - 1) && count > 1 ? 'within' : walked === '0' ? 'back' : 'trap';
    return { name, state, faults: [] };
  }
  at.dataset.walked = String(count);
  const faults: string[] = [];
  // A small input of its label's (a file, a switch) is seen by its label.
  const seen = at.matches('input') && at.offsetWidth < 3 ? (at.closest('label') ?? at) : at;
  const { left, right, top, bottom } = seen.getBoundingClientRect();
  const isTall = bottom - top > innerHeight / 2;
  if (right < 1 || left > innerWidth - 1 || bottom < 1 || (bottom > innerHeight + 1 && !isTall)) {
    faults.push(`“${name}” is outside of the window: ${Math.round(top)} to ${Math.round(bottom)}`);
  } else {
    const over = document.elementFromPoint(
      Math.min(innerWidth - 1, (left + right) / 2),
      Math.min(innerHeight - 1, isTall ? top + 20 : bottom - 4),
    );
    const isCovered =
      over === null || !(seen.contains(over) || over.contains(seen) || at.closest('label')?.contains(over));
    if (isCovered) faults.push(`“${name}” lies below ${over?.tagName} ${over?.className}`);
  }
  const { outlineStyle, outlineWidth } = getComputedStyle(seen);
  if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) faults.push(`“${name}” shows no focus`);
  return { name, state: 'stop', faults };
}

/** Lists controls that can be seen and used, and were not walked over; runs in the page. */
function leftOut(): string[] {
  const controls = document.body.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]',
  );
  const faults: string[] = [];
  for (const one of controls) {
    const isNew = one.dataset.stood === undefined;
    const isOff = isNew || one.matches(':disabled, [tabindex="-1"], [type="radio"]') || one.closest('[inert]') !== null;
    if (isOff || one.dataset.walked !== undefined || !one.checkVisibility({ visibilityProperty: true })) continue;
    faults.push(`“${one.tagName.toLowerCase()} ${one.getAttribute('aria-label') ?? one.innerText}” is left out`);
  }
  return faults;
}

/**
 * Lists the buttons whose name another one has, too: read aloud, nobody could tell them apart. Entries of the log of who
 * did what are about the same thing, and their buttons do the same. Runs in the page.
 */
function namedTwice(): string[] {
  const names = [...document.querySelectorAll<HTMLElement>('main :is(button, summary)')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest('[inert], .audit') === null)
    .map((one) => (one.getAttribute('aria-label') ?? one.textContent).trim());
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) => `“${name}” is there twice`);
}

/** Lists the controls that lie below something when the page is scrolled just so far that they are in the window. */
export function coveredControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'main :is(a[href], button, input, select, textarea, summary)',
    );
    const covered: string[] = [];
    for (const one of controls) {
      const label = one.closest('label') ?? one;
      if (!one.checkVisibility() || label.offsetWidth < 3 || label.closest('.scrolls, .scrolled') !== null) continue;
      // From its place just below the window's edge, and no further than needed.
      scrollBy(0, label.getBoundingClientRect().top - innerHeight + 2);
      label.scrollIntoView({ block: 'nearest' });
      const { left, right, bottom } = label.getBoundingClientRect();
      const over = document.elementFromPoint((left + right) / 2, bottom - 4);
      if (
        over?.closest('nav, .send-bar:not(:focus-within), .several, .messages') &&
        !over.contains(one) &&
        !label.contains(over)
      ) {
        covered.push(
          `“${one.getAttribute('aria-label') ?? one.innerText}” lies below ${over.className || over.localName}`,
        );
      }
    }
    scrollTo(0, 0);
    return covered;
  });
}
