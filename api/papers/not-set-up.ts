/**
 * The settings that a paper still needs before there is anything to draw, and the time when it begins. Nothing has failed
 * then.
 */
import { type Because, type Reason, type ReasonCode, type Reasons, reasonOf } from '../../reasons/reason.ts';
import { notSetUp } from './kinds.ts';

const kindOf: ReadonlyMap<ReasonCode, string> = new Map(
  Object.entries(notSetUp).map(([kind, { code }]) => [code, kind]),
);

/** The missing setup. */
export interface NotSetUp {
  readonly paperKind: string;
  /** The paper that slides or a playlist chose; undefined when it is the selected paper itself. */
  readonly chosenPaper?: string;
}

/** Puts the paper that slides or a playlist chose, with its title for people, before the reason why there is no picture of it. */
export const reasonOfChosen = (
  { id, title }: { readonly id: string; readonly title: string },
  because: Because,
): Reason => reasonOf('of-paper', { paper: id, title, because });

/** Finds what has to be set up among the reasons for having no picture; undefined when they are others. */
export function whatToSetUp([reason]: Reasons): NotSetUp | undefined {
  if (reason === undefined || typeof reason === 'string') return undefined;
  const { code, params, because = [] } = reason;
  const paperKind = kindOf.get(code);
  if (paperKind !== undefined) return { paperKind };
  // Where every slide is still to be set up, the first one is named.
  if (code === 'no-slide') return because.every((one) => whatToSetUp([one])) ? whatToSetUp(because) : undefined;
  const ofChosen = code === 'of-paper' ? whatToSetUp(because) : undefined;
  return ofChosen && { ...ofChosen, chosenPaper: String(params?.paper) };
}

/** Finds the time at which a playlist begins that has not begun, epoch milliseconds; undefined for other reasons. */
export function beginOfPlaylist([reason]: Reasons): number | undefined {
  if (reason === undefined || typeof reason === 'string' || reason.code !== 'playlist-begins') return undefined;
  return Date.parse(String(reason.params?.time));
}

/** Returns whether these reasons for having no picture only mean that there is nothing to show yet. */
export const isNothingYet = (reasons: Reasons): boolean =>
  whatToSetUp(reasons) !== undefined || beginOfPlaylist(reasons) !== undefined;
