/** The papers that take pictures, with those that no frame shows. */
import { signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from './call-api.ts';
import { listen } from './live.ts';
import { traitsOf } from './paper-kinds.ts';
import { organizationId } from './session.ts';
import { isAboutAll, pacer } from './versions.ts';

/** A paper as the list of papers returns it. */
export type ListedPaper = Schemas['Paper'];

/** Papers of pictures, as far as they were read. */
export const picturePapers = signal<readonly ListedPaper[]>([]);
/** Whether they were read. */
export const havePapersCome = signal(false);
/** Reads the papers that take pictures. */
export async function readPicturePapers(): Promise<void> {
  const { results } = await callApi('GET /papers/', {
    query: { organization: organizationId.peek(), sortBy: 'title:asc', limit: 1_000 },
  });
  picturePapers.value = results.filter(({ kind }) => traitsOf(kind).takesPictures);
  havePapersCome.value = true;
}

/** From now on reads them again whenever a paper changes: others send pictures, too. */
export function followPicturePapers(): void {
  const pace = pacer(() => void readPicturePapers().catch(() => undefined));
  listen((change) => {
    const { record, area } = change.data;
    if (isAboutAll(change) || record === 'paper' || area === 'paper') pace.note();
  });
}
