/** The catalogue of the service's sentences, by code. */
import { addressSentences } from './sentences/addresses.ts';
import { calendarSentences } from './sentences/calendars.ts';
import { changeSentences } from './sentences/changes.ts';
import { deadlineSentences } from './sentences/deadlines.ts';
import { fieldSentences } from './sentences/fields.ts';
import { frameSentences } from './sentences/frames.ts';
import { integrationSentences } from './sentences/integrations.ts';
import { jobSentences } from './sentences/jobs.ts';
import { messageSentences } from './sentences/messages.ts';
import { pageSentences } from './sentences/pages.ts';
import { paperSentences } from './sentences/papers.ts';
import { pictureSentences } from './sentences/pictures.ts';
import { recipeSentences } from './sentences/recipes.ts';
import { requestSentences } from './sentences/requests.ts';
import { serviceSentences } from './sentences/service.ts';
import { signInSentences } from './sentences/signing-in.ts';
import { sourceSentences } from './sentences/sources.ts';

/**
 * The words of every reason in English, each under its code. Values stand in `{braces}`, numbers where a `#` is before the
 * name; `{because}` is what stands behind it. `reasonOf` takes its types from here, and `wordsOf` the words.
 */
export const sentences = {
  ...requestSentences,
  ...signInSentences,
  ...fieldSentences,
  ...serviceSentences,
  ...messageSentences,
  ...pageSentences,
  ...pictureSentences,
  ...paperSentences,
  ...addressSentences,
  ...calendarSentences,
  ...integrationSentences,
  ...recipeSentences,
  ...frameSentences,
  ...changeSentences,
  ...jobSentences,
  ...deadlineSentences,
  ...sourceSentences,
} as const;
