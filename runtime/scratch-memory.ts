/**
 * Memory for large things that are held for a moment. A buffer of Node's is given back at some later collection, which
 * may be long after the last request; this memory goes back to the system as soon as it has been used.
 */

/** Memory for one use at a time. */
export interface ScratchMemory {
  /**
   * Lends memory. What `work` returns must hold nothing of it.
   * @param bytes the size, at most that of the scratch memory
   */
  lend<Result>(bytes: number, work: (memory: Buffer) => Promise<Result>): Promise<Result>;
}

/** Reserves addresses for so many bytes, and no memory. */
export function reserveScratch(maxBytes: number): ScratchMemory {
  const memory = new ArrayBuffer(0, { maxByteLength: maxBytes });
  return {
    async lend(bytes, work) {
      if (memory.byteLength > 0) throw new Error('The scratch memory is lent');
      memory.resize(bytes);
      try {
        return await work(Buffer.from(memory, 0, bytes));
      } finally {
        memory.resize(0);
      }
    },
  };
}
