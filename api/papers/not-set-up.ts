/** What a paper still needs before there is anything to draw. Nothing has failed then. */
import { type Because, type Reason, type ReasonCode, type Reasons, reasonOf } from '../../reasons/reason.ts';

/** What is missing, by the kind of paper. */
export const notSetUp = {
  calendar: reasonOf('no-calendar-named'),
  plugin: reasonOf('no-integration-named'),
  website: reasonOf('no-website-named'),
  text: reasonOf('no-text'),
} as const;

const kindOf: ReadonlyMap<ReasonCode, string> = new Map(
  Object.entries(notSetUp).map(([kind, { code }]) => [code, kind]),
);

/** What has to be set up. */
export interface NotSetUp {
  readonly paperKind: string;
  /** The paper that slides or a playlist chose; undefined when it is the selected paper itself. */
  readonly chosenPaper?: string;
}

/** Puts the paper that slides or a playlist chose before the reason why there is no picture of it. */
export const reasonOfChosen = (paperId: string, because: Because): Reason =>
  reasonOf('of-paper', { paper: paperId, because });

/** Finds what has to be set up among the reasons for having no picture; undefined when they are others. */
export function whatToSetUp([reason]: Reasons): NotSetUp | undefined {
  if (reason === undefined || typeof reason === 'string') return undefined;
  const { code, params, because = [] } = reason;
  const paperKind = kindOf.get(code);
  if (paperKind !== undefined) return { paperKind };
  const ofChosen = code === 'of-paper' ? whatToSetUp(because) : undefined;
  return ofChosen && { ...ofChosen, chosenPaper: String(params?.paper) };
}

/** Asks if these reasons for having no picture say only that a paper is not set up yet. */
export const isNotSetUp = (reasons: Reasons): boolean => whatToSetUp(reasons) !== undefined;
