/** Papers as they are chosen among many, by title. */
import type { Paper } from '../../ground/paper-book.ts';
import { kindName } from '../../ground/paper-kinds.ts';
import { t } from '../../ground/words.ts';
import type { SearchableChoice } from './search-choice.tsx';

type Papers = Iterable<Pick<Paper, 'id' | 'title' | 'kind'>>;

/** Returns the papers as choices. */
export const paperChoices = (papers: Papers): SearchableChoice[] =>
  [...papers].map(({ id, title, kind }) => ({ value: id, word: title || t('choice.noTitle'), note: kindName(kind) }));

/** Returns the papers as choices, below the one for no paper at all. */
export const paperOrNothing = (papers: Papers): SearchableChoice[] => [
  { value: '', word: t('choice.nothing') },
  ...paperChoices(papers),
];
