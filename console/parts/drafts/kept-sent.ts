/** The browser's memory of what was sent, by whose it is: small, and of one account at a time. */

const storedAs = 'papergate-sent';

interface Kept {
  readonly owner: string;
  readonly rows: unknown;
}

/** Returns what was kept for somebody, and removes what is another one's. */
export function readSent(owner: string): unknown {
  try {
    const kept = JSON.parse(localStorage.getItem(storedAs) ?? 'null') as Kept | null;
    if (kept?.owner === owner) return kept.rows;
    localStorage.removeItem(storedAs);
  } catch {
    // A browser that keeps nothing has nothing of before.
  }
  return undefined;
}

/**
 * Keeps rows for somebody, in place of those of before.
 * @returns whether there was room
 */
export function keepSent(owner: string, rows: readonly unknown[]): boolean {
  try {
    if (rows.length === 0) localStorage.removeItem(storedAs);
    else localStorage.setItem(storedAs, JSON.stringify({ owner, rows }));
    return true;
  } catch {
    return false;
  }
}

/** Removes what was kept. */
export const forgetSent = (): void => void keepSent('', []);
