/**
 * Learns which messages the home's broker does not take. Brokers bound the size of packets, and in MQTT 3.1.1 they can
 * only close the connection at one that is larger: sent again after each connect, it would be closed for ever.
 */

/** A message on its way. */
export interface OnItsWay {
  /** Called with whether the broker has it. */
  readonly ended: (isTaken: boolean) => void;
}

/** The largest packet that a broker takes, learned from those it took and those at which it closed the connection. */
export class PacketLimit {
  readonly #onTheirWay = new Set<number[]>();
  #largestTaken = 0;
  #isSuspected = false;
  #leftOutFrom = Number.POSITIVE_INFINITY;

  /** Whether a message of so many bytes is sent. */
  takes(bytes: number): boolean {
    return bytes < this.#leftOutFrom;
  }

  /** Notes that a message is sent. */
  sent(bytes: number): OnItsWay {
    const one = [bytes];
    this.#onTheirWay.add(one);
    return {
      ended: (isTaken) => {
        this.#onTheirWay.delete(one);
        if (!isTaken) return;
        this.#largestTaken = Math.max(this.#largestTaken, bytes);
      },
    };
  }

  /**
   * Notes that the connection was closed. One that ends twice in a row while a message is on its way that is larger than
   * all that were taken ended for that message; after that once is enough.
   * @returns the bytes from which on messages are left out, when that has just become fewer
   */
  closed(): number | undefined {
    const largest = Math.max(0, ...[...this.#onTheirWay].flat());
    this.#onTheirWay.clear();
    if (largest <= this.#largestTaken) {
      this.#isSuspected = false;
      return undefined;
    }
    const isSure = this.#isSuspected || this.#leftOutFrom < Number.POSITIVE_INFINITY;
    this.#isSuspected = true;
    if (!isSure || largest >= this.#leftOutFrom) return undefined;
    this.#leftOutFrom = largest;
    return largest;
  }

  /** Forgets what was learnt: the broker was away, and may have come back with another limit. */
  forget(): void {
    this.#largestTaken = 0;
    this.#isSuspected = false;
    this.#leftOutFrom = Number.POSITIVE_INFINITY;
  }
}
