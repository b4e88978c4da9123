/** Failures of a render that are the page's own doing. Their message is a sentence for a person. */
import { type Sentence, said } from '../../runtime/said-sentence.ts';

/** Ends a render with its reason. */
export class NotRendered extends Error {
  override readonly message: Sentence;

  constructor(message: Sentence) {
    super(message);
    this.message = message;
  }
}

/** The document is gone: the page navigated, or loaded itself again. */
export class LeftItself extends NotRendered {
  constructor() {
    super(said('page-left'));
  }
}
