/** An answer that stays open and sends events as they happen: server-sent events, as the HTML standard has them. */
import { Readable } from 'node:stream';

/** The text that may wait for a slow reader. One that lets more wait is cut off, and may come back (T-61). */
export const maxWaitingBytes = 64 * 1024;

/** One event. An id is given back by a reader that resumes. */
export interface SentEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string | undefined;
}

export class EventStream extends Readable {
  constructor() {
    super({ read() {}, highWaterMark: maxWaitingBytes });
  }

  /** Sends an event. JSON has no line breaks of its own, so it is one line of data. */
  send({ event, data, id }: SentEvent): void {
    this.#write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends a line that no reader acts on, so that nobody on the way takes the silence for a dead connection. */
  beat(): void {
    this.#write(':\n\n');
  }

  /** Ends the stream. A reader that has not taken what was sent is cut off. */
  end(): void {
    if (this.destroyed || this.readableEnded) return;
    if (this.readableLength > 0) this.destroy();
    else this.push(null);
  }

  #write(text: string): void {
    if (this.destroyed || this.readableEnded) return;
    this.push(text);
    if (this.readableLength > maxWaitingBytes) this.destroy();
  }
}
