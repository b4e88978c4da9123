/** Failures of a render that are the page's own doing. Their message is a sentence for a person. */

/** Ends a render with its reason. */
export class NotRendered extends Error {}

/** The document is gone: the page navigated, or loaded itself again. */
export class LeftItself extends NotRendered {
  constructor() {
    super('The page left itself while it was rendered.');
  }
}
