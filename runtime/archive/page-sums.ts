/**
 * Remembers a digest of each page of a database, as it was last written: a page whose bytes are others although no transaction
 * wrote it was changed by the disk.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { CommittedPages } from './wal-frames.ts';

const pagesAtOnce = 64;

/** Six bytes of a digest, as a number above 0. */
const sumOf = (page: Uint8Array): number => createHash('sha1').update(page).digest().readUIntBE(0, 6) + 1;

/** The digests of all pages but the first, in which every copy differs. Eight bytes are kept of each. */
export class PageSums {
  /** By the number of the page; 0 for one that is not known yet. */
  #sums = new Float64Array(1024);

  /** Takes what was committed. */
  wrote({ pages, size }: Pick<CommittedPages, 'pages' | 'size'>): void {
    for (const [number, bytes] of pages) this.#set(number, sumOf(bytes));
    // What a smaller database let go may be anything when it grows again.
    if (size > 0) this.#sums.fill(0, size + 1);
  }

  /**
   * Compares a copy, which is the database as of the last pages that were taken, and learns the pages that are not known.
   * @returns the numbers of the pages that differ
   */
  async compare(copy: string): Promise<readonly number[]> {
    const differing: number[] = [];
    const file = await open(copy, 'r');
    try {
      const head = Buffer.alloc(18);
      await file.read(head, 0, head.length, 0);
      const pageSize = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
      const part = Buffer.alloc(pagesAtOnce * pageSize);
      for (let first = 1; pageSize > 0; first += pagesAtOnce) {
        const { bytesRead } = await file.read(part, 0, part.length, (first - 1) * pageSize);
        for (let at = 0; at + pageSize <= bytesRead; at += pageSize) {
          const number = first + at / pageSize;
          if (number > 1 && !this.#isAsKnown(number, sumOf(part.subarray(at, at + pageSize)))) differing.push(number);
        }
        if (bytesRead < part.length) break;
      }
    } finally {
      await file.close();
    }
    return differing;
  }

  #isAsKnown(number: number, sum: number): boolean {
    const known = this.#sums[number] ?? 0;
    if (known === 0) this.#set(number, sum);
    return known === 0 || known === sum;
  }

  #set(number: number, sum: number): void {
    if (number >= this.#sums.length) {
      const more = new Float64Array(Math.max(number + 1, this.#sums.length * 2));
      more.set(this.#sums);
      this.#sums = more;
    }
    this.#sums[number] = sum;
  }
}
