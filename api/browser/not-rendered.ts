/** Failures of a render that are the page's own doing. Their message is a sentence for a person. */

import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';

/** Ends a render with its reason. */
export class NotRendered extends ReasonedError {}

/** The document is gone: the page navigated, or loaded itself again. */
export class LeftItself extends NotRendered {
  constructor() {
    super(reasonOf('page-left'));
  }
}
