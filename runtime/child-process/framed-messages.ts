/**
 * Messages over a pipe between the service and a process that works for strangers: a head as JSON and bytes, each with
 * its length before. Node's own channel between processes suits only trusted ones: a message that it cannot read ends
 * the process that reads it.
 */

/** A message. Its head has any shape until somebody looks at it. */
export interface FramedMessage {
  readonly head: unknown;
  readonly bytes: Buffer;
}

/** The most that a message may have. */
export interface MessageBounds {
  readonly headBytes: number;
  readonly bytes: number;
}

const lengthBytes = 4;

/** Returns the pieces of a message in the order in which they are written. */
export function framePieces(head: unknown, bytes: Uint8Array = Buffer.alloc(0)): readonly Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(2 * lengthBytes);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(bytes.length, lengthBytes);
  return [Buffer.concat([lengths, text]), ...(bytes.length > 0 ? [bytes] : [])];
}

/**
 * Returns a function that takes bytes as they come and gives `receive` each message when it is whole.
 * The function throws when a message is longer than the bounds, or when its head is not JSON; it is of no use from then on.
 */
export function cutFrames(bounds: MessageBounds, receive: (message: FramedMessage) => void): (chunk: Buffer) => void {
  const parts = partsOfMessages(bounds, receive);
  let [part, filled] = [parts.next().value, 0];
  return (chunk) => {
    for (let at = 0; ; ) {
      const taken = chunk.copy(part, filled, at);
      at += taken;
      filled += taken;
      if (filled < part.length) return;
      [part, filled] = [parts.next().value, 0];
    }
  };
}

/** Yields one part of a message after the other, to be filled before the next one is asked for. */
function* partsOfMessages(
  bounds: MessageBounds,
  receive: (message: FramedMessage) => void,
): Generator<Buffer, never, void> {
  for (;;) {
    const lengths = Buffer.alloc(2 * lengthBytes);
    yield lengths;
    const text = Buffer.alloc(within(bounds.headBytes, lengths.readUInt32BE(0)));
    const length = within(bounds.bytes, lengths.readUInt32BE(lengthBytes));
    yield text;
    // Memory of its own, which takes none of the machine's before bytes come.
    const bytes = Buffer.allocUnsafeSlow(length);
    yield bytes;
    receive({ head: JSON.parse(text.toString()), bytes });
  }
}

function within(most: number, length: number): number {
  if (length > most) throw new Error(`it announced a message of ${length} bytes, and ${most} may come`);
  return length;
}
