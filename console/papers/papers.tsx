/** Papers: all of them, one of them, and a new one. */
import { useEffect } from 'preact/hooks';
import { followFleet } from '../ground/fleet.ts';
import { followPapers } from '../ground/paper-book.ts';
import type { Screen } from '../ground/screen.ts';
import { NewPaper } from './new-paper.tsx';
import { PaperList } from './paper-list.tsx';
import { PaperPage } from './paper-page.tsx';

/** The screen: `papers`, `papers/new`, `papers/<id>`. */
export const Papers: Screen = ({ rest: [place] }) => {
  useEffect(() => {
    followFleet();
    followPapers();
  }, []);
  if (place === undefined) return <PaperList />;
  return place === 'new' ? <NewPaper /> : <PaperPage key={place} id={place} />;
};
