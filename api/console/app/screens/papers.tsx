/** Papers: all of them, one of them, and a new one. */
import { useEffect } from 'preact/hooks';
import { followFleet } from '../fleet.ts';
import { NewPaper } from '../papers/new-paper.tsx';
import { followPapers } from '../papers/paper-book.ts';
import { PaperList } from '../papers/paper-list.tsx';
import { PaperPage } from '../papers/paper-page.tsx';
import type { Screen } from '../screen.ts';

/** The screen: `papers`, `papers/new`, `papers/<id>`. */
export const Papers: Screen = ({ rest: [place] }) => {
  useEffect(() => {
    followFleet();
    followPapers();
  }, []);
  if (place === undefined) return <PaperList />;
  return place === 'new' ? <NewPaper /> : <PaperPage key={place} id={place} />;
};
