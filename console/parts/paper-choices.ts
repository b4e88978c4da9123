/** Papers as they are chosen among many, by title. */
import type { Paper } from '../ground/paper-book.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { t } from '../ground/words.ts';
import type { Choosable } from './search-choice.tsx';

/** Returns the papers as choices, below the one for no paper at all. */
export const paperChoices = (papers: Iterable<Pick<Paper, 'id' | 'title' | 'kind'>>): Choosable[] => [
  { value: '', word: t('choice.nothing') },
  ...[...papers].map(({ id, title, kind }) => ({
    value: id,
    word: title || t('choice.noTitle'),
    note: kindName(kind),
  })),
];
