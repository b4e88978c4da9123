/** The result of a run: no promise was broken, or the first one that was. */

/** A broken promise: the id of its rule in docs/rules.md, and a sentence about what happened. */
export interface Broken {
  readonly rule: string;
  readonly sentence: string;
}

/** Collects the results of checks. Only the first broken promise counts, because later ones may be its consequences. */
export interface Checker {
  /** @param holds whether the promise was kept */
  holds(holds: boolean, rule: string, sentence: () => string): void;
  readonly broken: () => Broken | undefined;
  /** How often each rule was checked. */
  readonly checked: () => Readonly<Record<string, number>>;
}

/** Opens a checker, which writes the broken promise into the trace. */
export function openChecker(note: (what: string) => void): Checker {
  let first: Broken | undefined;
  const checked = new Map<string, number>();
  return {
    holds(holds, rule, sentence) {
      checked.set(rule, (checked.get(rule) ?? 0) + 1);
      if (holds || first !== undefined) return;
      first = { rule, sentence: sentence() };
      note(`BROKEN ${rule}: ${first.sentence}`);
    },
    broken: () => first,
    checked: () => Object.fromEntries(checked),
  };
}
