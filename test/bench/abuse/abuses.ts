/** Every abuse by name, in the order in which they are played. */
import type { Abuse } from './attack.ts';
import { bodyAbuses } from './body-abuses.ts';
import { calendarAbuses } from './calendar-abuses.ts';
import { floodAbuses } from './flood-abuses.ts';
import { headerAbuses } from './headers.ts';
import { pageAbuses } from './page-abuses.ts';

/** An abuse that does nothing: the figures without any, by the same measure. */
const nothing: Abuse = { what: 'no abuse: what the figures are without any', attack: async () => async () => {} };

export const abuses: Readonly<Record<string, Abuse>> = {
  nothing,
  ...headerAbuses,
  ...pageAbuses,
  ...calendarAbuses,
  ...bodyAbuses,
  ...floodAbuses,
};
