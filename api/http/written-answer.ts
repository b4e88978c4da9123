/** An answer whose JSON is there already: a large one that is the same for every caller is written once. */
export class WrittenAnswer {
  readonly bytes: Buffer;

  /** @param bytes JSON that fits the route's output, shared by everyone who is answered with it */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
