/** Times as reports write them. */

/** Writes a time as people read it: `2026-11-28 01:40 UTC`. */
export function spokenTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
