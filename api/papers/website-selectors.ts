/** The settings of a website that name the elements to wait for, to click on and to show. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';

/** The most characters of a CSS selector. Whether it is valid becomes known only on the page that it is used on. */
export const maxSelectorLength = 500;
/** The most milliseconds to wait for a website where a number states how long. */
export const maxWaitMs = 10_000;

/** The meaning of the selectors, for the description of the API. */
export const selectorMeans = {
  waitFor: 'a CSS selector that has to be there before the picture is taken, or milliseconds',
  clickFirst: 'a CSS selector of what is clicked once before anything is waited for, such as the button of a banner',
  cutOut: 'a CSS selector of the one element that is shown, as large as it fits, in place of the page',
} as const;

/** The settings as they are used. */
export interface WebsiteSelectors {
  readonly waitFor?: string | number;
  readonly clickFirst?: string;
  readonly cutOut?: string;
}

const isLeftOut = (value: unknown): boolean => value === undefined || value === null || value === '';

const isSelector = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxSelectorLength && !value.includes('\0');

const isWait = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxWaitMs;

/** Finds the first of these settings of a meta that means nothing; undefined when there is none. */
export function selectorProblem(meta: Readonly<Record<string, unknown>>): Reason | undefined {
  for (const field of Object.keys(selectorMeans)) {
    const value = meta[field];
    if (isLeftOut(value) || isSelector(value) || (field === 'waitFor' && isWait(value))) continue;
    return reasonOf('field-no-selector', { field, most: maxSelectorLength });
  }
  return undefined;
}

/** Reads the settings of a stored meta; what means nothing is left out. */
export function websiteSelectors(meta: Readonly<Record<string, unknown>>): WebsiteSelectors {
  const { waitFor, clickFirst, cutOut } = meta;
  return {
    ...((isSelector(waitFor) || isWait(waitFor)) && { waitFor }),
    ...(isSelector(clickFirst) && { clickFirst }),
    ...(isSelector(cutOut) && { cutOut }),
  };
}
