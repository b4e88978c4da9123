/** Cuts the browser's output into messages, and keeps nothing of unwanted ones, however long they are. */

/**
 * The bytes at the beginning of a message that give its kind, and at its end that give its session; the middle is a
 * page's own words.
 */
const headBytes = 80;
const tailBytes = 64;

export interface BrowserMessage {
  /** The event's name; undefined for the answer to a command. */
  readonly event: string | undefined;
  /** The session that it belongs to; undefined for the browser's own. */
  readonly sessionId: string | undefined;
  readonly bytes: number;
  /** The text; undefined when it is not wanted, or longer than any message may be. */
  readonly text: string | undefined;
}

/** The parts of messages that are kept. */
export interface CutOptions {
  /**
   * Returns the length up to which a message's text is kept; 0 for an unwanted one.
   * @param event undefined for the answer to a command
   */
  readonly maxBytesOf: (event: string | undefined) => number;
}

/** Returns a function that takes the bytes as they come; `receive` gets each message when it has ended. */
export function cutMessages(
  { maxBytesOf }: CutOptions,
  receive: (message: BrowserMessage) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: { readonly event: string | undefined; readonly maxBytes: number } | undefined;

  function readHead(): { readonly event: string | undefined; readonly maxBytes: number } {
    const text = Buffer.concat(parts).toString('latin1', 0, headBytes);
    const event = /^\{"method":"([A-Za-z.]+)"/.exec(text)?.[1];
    return { event, maxBytes: maxBytesOf(event) };
  }

  function take(part: Buffer): void {
    parts.push(part);
    bytes += part.length;
    if (bytes >= headBytes) head ??= readHead();
    // The bytes are copied, so that the chunk can be freed.
    if (head !== undefined && bytes > head.maxBytes) parts = [Buffer.from(Buffer.concat(parts).subarray(-tailBytes))];
  }

  function end(): void {
    const { event, maxBytes } = head ?? readHead();
    const all = Buffer.concat(parts);
    const sessionId = /"sessionId":"(\w+)"\}$/.exec(all.toString('latin1', Math.max(0, all.length - tailBytes)))?.[1];
    const message = { event, sessionId, bytes, text: bytes <= maxBytes ? all.toString() : undefined };
    parts = [];
    bytes = 0;
    head = undefined;
    receive(message);
  }

  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, start)) {
      take(chunk.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}
