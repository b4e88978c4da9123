/** The sentences that say what a paper still needs before there is anything to draw. Nothing has failed then. */
import { said } from '../../runtime/said-sentence.ts';

/** What is missing, by the kind of paper, each with what to do. */
export const notSetUp = {
  calendar: said('no-calendar-named'),
  plugin: said('no-integration-named'),
  website: said('no-website-named'),
  text: said('no-text'),
} as const;

const sentences: ReadonlySet<string> = new Set(Object.values(notSetUp));

/** Asks if this reason for having no picture is only that the paper is not set up yet. */
export const isNotSetUp = (reason: string | null | undefined): boolean => sentences.has(reason ?? '');
