/** The request to make a paper for one that shows other papers, while the person is asked about it. */
import { signal } from '@preact/signals';

/** The paper that is wanted, and where it goes once it is there. */
interface PartRequest {
  readonly organization: string;
  readonly add: (paperId: string) => void;
}

/** The request; undefined while nobody makes anything. */
export const partRequest = signal<PartRequest | undefined>(undefined);
