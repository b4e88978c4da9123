/** The traits of a dialect, for the rooms that judge a frame's reports without knowing its dialect. */

import type { Reason } from '../../reasons/reason.ts';
import type { ReportGrade } from './grades.ts';

/** The traits of a dialect. Other rooms ask for a trait, never for the dialect's name. */
export interface DialectTraits {
  /** The frame reports the digest of the picture on its glass, and whether it is in sync (without: W-13). */
  readonly knowsDigests: boolean;
  /** The frame's first GET of a cycle only looks for a redirect and drops the body (W-13). */
  readonly probesFirst: boolean;
  /**
   * The grade of the frame's own report about a picture. With the download it is the grade from which such a frame counts
   * as showing the picture (docs/decisions/0038).
   */
  readonly proves: ReportGrade;
  /** The frame reports a picture when it has drawn it, and not at its next wake only (DL-22). */
  readonly provesAtOnce: boolean;
  /** The frame carries commands out and answers them (without: W-34). */
  readonly knowsCommands: boolean;
  /** Its frames may sleep as they were set up, whatever the service says (OF-12). */
  readonly mayKeepItsSleep?: boolean;
  /** The meaning of a silence, and what to do, where the frame says nothing of its battery (OF-13). */
  readonly silence?: Reason;
}

/** The traits of the dialect in a frame's row. */
export type TraitsOf = (dialect: string | null) => DialectTraits;

/** The traits of a frame that was never connected, or whose dialect no longer exists. Its commands wait. */
const traitsOfUnknown: DialectTraits = {
  knowsDigests: false,
  probesFirst: false,
  proves: 'reported',
  provesAtOnce: true,
  knowsCommands: true,
};

/** Creates the look-up of traits by a dialect's name. */
export function traitsAmong(dialects: Readonly<Record<string, { readonly traits: DialectTraits }>>): TraitsOf {
  const byName = new Map(Object.entries(dialects));
  return (dialect) => byName.get(dialect ?? '')?.traits ?? traitsOfUnknown;
}
