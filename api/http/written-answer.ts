/** An answer whose JSON is there already: a large one that is the same for every caller is written once. */
export class WrittenAnswer {
  readonly text: string;

  /** @param text JSON that fits the route's output */
  constructor(text: string) {
    this.text = text;
  }
}
