/** The sentences that say what a paper still needs before there is anything to draw. Nothing has failed then. */
import { said } from '../../runtime/said-sentence.ts';

/** What is missing, by the kind of paper, each with what to do. */
export const notSetUp = {
  calendar: said('no-calendar-named'),
  plugin: said('no-integration-named'),
  website: said('no-website-named'),
  text: said('no-text'),
} as const;

const kindOf: ReadonlyMap<string, string> = new Map(Object.entries(notSetUp).map(([kind, reason]) => [reason, kind]));

/** What has to be set up. */
export interface NotSetUp {
  readonly paperKind: string;
  /** The paper that slides or a playlist chose; undefined when it is the selected paper itself. */
  readonly chosenPaper?: string;
}

/** Puts the paper that slides or a playlist chose before the reason why there is no picture of it. */
export const reasonOfChosen = (paperId: string, because: string): string =>
  said('of-paper', { paper: paperId, because });

/** Reads what has to be set up from a reason for having no picture; undefined when the reason is another one. */
export function readNotSetUp(reason: string | null | undefined): NotSetUp | undefined {
  const { id, own = '' } = /^(?:paper (?<id>[0-9a-f]{24}): )?(?<own>.*)$/s.exec(reason ?? '')?.groups ?? {};
  const paperKind = kindOf.get(own);
  if (paperKind === undefined) return undefined;
  return id === undefined ? { paperKind } : { paperKind, chosenPaper: id };
}

/** Asks if this reason for having no picture is only that a paper is not set up yet. */
export const isNotSetUp = (reason: string | null | undefined): boolean => readNotSetUp(reason) !== undefined;
