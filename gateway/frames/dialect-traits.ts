/** What has to be known of a dialect where others judge what was said in it. */

/** Traits of a dialect. They are asked for instead of its name. */
export interface DialectTraits {
  /** The frame names the digest of what is on its glass, and says itself whether it is in step (without: W-13, W-15). */
  readonly knowsDigests: boolean;
  /** Its first GET of a cycle only looks for a redirect and drops the body (W-13). */
  readonly probesFirst: boolean;
  /** It carries commands out and answers them (without: W-34). */
  readonly knowsCommands: boolean;
}

/** The traits of the dialect in a frame's row. */
export type TraitsOf = (dialect: string | null) => DialectTraits;

/** Of a frame that has not spoken yet, or in a dialect that is no longer there: what is asked of it waits. */
const unheard: DialectTraits = { knowsDigests: false, probesFirst: false, knowsCommands: true };

/** Makes the look-up over dialects by their name. */
export function traitsAmong(dialects: Readonly<Record<string, { readonly traits: DialectTraits }>>): TraitsOf {
  const byName = new Map(Object.entries(dialects));
  return (dialect) => byName.get(dialect ?? '')?.traits ?? unheard;
}
