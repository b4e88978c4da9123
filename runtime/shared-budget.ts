/**
 * A budget that independent users share: bytes of memory or of a disk. Nobody may hold more of it than he leaves free:
 * one user who takes all he can leaves half, two leave a third, and somebody who comes after many still finds some.
 * This is bookkeeping only.
 */
export interface SharedBudget {
  /**
   * Takes an amount.
   * @returns the function that gives it back; undefined where it would leave less than the sharer then holds
   */
  take(sharer: string, amount: number): (() => void) | undefined;
  /** Returns the amount that all sharers hold together. */
  used(): number;
}

/** Opens a budget of this amount in all. */
export function sharedBudget(inAll: number): SharedBudget {
  const held = new Map<string, number>();
  let used = 0;

  function change(sharer: string, by: number): void {
    const now = (held.get(sharer) ?? 0) + by;
    if (now > 0) held.set(sharer, now);
    else held.delete(sharer);
    used += by;
  }

  return {
    take(sharer, amount) {
      if ((held.get(sharer) ?? 0) + amount > inAll - used - amount) return undefined;
      change(sharer, amount);
      let isTaken = true;
      return () => {
        if (isTaken) change(sharer, -amount);
        isTaken = false;
      };
    },
    used: () => used,
  };
}
