/** Collects the parts of a file that are kept, without copying any before the end. */

/** The number of parts that a file is searched for. Photographs have some thousands; a file can have ten million. */
export const maxParts = 65_536;

/** The parts of a file. */
export interface KeptParts {
  /**
   * Counts a part, kept or not.
   * @returns false when the file has more parts than are looked at
   */
  meet(): boolean;
  keep(start: number, end: number): void;
  /** Adds bytes that were made here. */
  add(made: Buffer): void;
  bytes(): Buffer;
}

export function keptParts(file: Buffer): KeptParts {
  const parts: Buffer[] = [];
  /** The start of the part that the next one may continue. */
  let from = 0;
  let to = 0;
  let met = 0;
  function close(): void {
    if (to > from) parts.push(file.subarray(from, to));
    from = to;
  }
  return {
    meet: () => ++met <= maxParts,
    keep(start, end) {
      if (start !== to) {
        close();
        from = start;
      }
      to = end;
    },
    add(made) {
      close();
      parts.push(made);
    },
    bytes() {
      close();
      const [only] = parts;
      return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts);
    },
  };
}
