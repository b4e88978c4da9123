/** What a run found: nothing, or the first promise that was broken. */

/** A broken promise: its id in docs/rules.md, and what was seen. */
export interface Broken {
  readonly rule: string;
  readonly sentence: string;
}

/** Where checks say what they saw. Only the first one counts: what follows may follow from it. */
export interface Court {
  /** @param holds whether the promise was kept */
  holds(holds: boolean, rule: string, sentence: () => string): void;
  readonly broken: () => Broken | undefined;
}

/** Opens a court. */
export function openCourt(note: (what: string) => void): Court {
  let first: Broken | undefined;
  return {
    holds(holds, rule, sentence) {
      if (holds || first !== undefined) return;
      first = { rule, sentence: sentence() };
      note(`BROKEN ${rule}: ${first.sentence}`);
    },
    broken: () => first,
  };
}
