/** All papers, with the state of each on its frames. */
import { useComputed } from '@preact/signals';
import { framesShowing, loadPapers, type Paper, papers, papersState } from '../ground/paper-book.ts';
import { kindName, traitsOf } from '../ground/paper-kinds.ts';
import { hrefOf, query, setQuery } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { clockTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { WindowGrid } from '../parts/forms/window-grid.tsx';
import { foundByWords } from '../parts/found-by-words.ts';
import { frameLine, troubleLine } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { byNature } from '../parts/natural-order.ts';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { PaperPicture } from './paper-picture.tsx';

/** The papers page. */
export const PaperList = () => {
  useTitle(t('nav.papers'));
  const shown = useComputed(() => {
    const found = foundByWords([...papers.value.values()], query.value.get('search') ?? '', textOf);
    return [...found].sort((a, b) => byNature(a.title, b.title));
  });
  const { isLoaded, problem } = papersState.value;
  if (problem !== undefined && !isLoaded) return <ProblemBox problem={problem} again={() => void loadPapers()} />;
  if (!isLoaded) return <Loading />;
  const isEmpty = papers.value.size === 0;
  return (
    <>
      <div class="heading">
        <h1>{t('nav.papers')}</h1>
        <p class="note">{t('papers.intro')}</p>
        {mayWrite.value && !isEmpty && <NewButton />}
      </div>
      {isEmpty ? (
        <EmptyState icon="pictures" title={t('papers.empty')}>
          <p>{t('papers.emptyHint')}</p>
          {mayWrite.value && <NewButton />}
        </EmptyState>
      ) : (
        <search class="controls">
          <input
            type="search"
            aria-label={t('papers.search')}
            placeholder={t('papers.search')}
            value={query.value.get('search') ?? ''}
            onInput={(event) => setQuery({ search: event.currentTarget.value })}
          />
        </search>
      )}
      {!isEmpty && shown.value.length === 0 && <EmptyState icon="search" title={t('papers.noneFound')} />}
      <WindowGrid
        items={shown.value}
        cell={{ minWidth: 260, height: 348, narrowHeight: 176 }}
        keyOf={({ id }) => id}
        draw={(paper) => <PaperCard paper={paper} />}
        label={t('nav.papers')}
      />
    </>
  );
};

const NewButton = () => (
  <a class="button primary" href={hrefOf('papers/new')}>
    {t('papers.new')}
  </a>
);

const textOf = ({ id, title, kind, author }: Paper): string =>
  [title, kind, kindName(kind), author, ...framesShowing(id).map(({ name }) => name)].join(' ');

const PaperCard = ({ paper }: { readonly paper: Paper }) => (
  <article class="card frame paper-card">
    <div class="paper-picture">
      <PaperPicture paper={paper} kind="thumbnail.jpg" />
    </div>
    <h2>
      <a href={hrefOf(`papers/${paper.id}`)} dir="auto">
        {paper.title}
      </a>
    </h2>
    <p class="note kind-name">
      <Icon name={traitsOf(paper.kind).icon} />
      {kindName(paper.kind)}
    </p>
    <p class="line">
      <PaperLine paper={paper} />
    </p>
  </article>
);

/** Draws what calls for a person first: mails that wait, a source that gives nothing. */
const PaperLine = ({ paper }: { readonly paper: Paper }) => {
  const { waitingMails, sourcesAwaySince } = paper;
  if (waitingMails !== undefined) return <strong>{t('post.waiting', { count: waitingMails })}</strong>;
  if (sourcesAwaySince === undefined) return <>{shownLine(paper)}</>;
  return <span class="bad">{t('sources.state.away', { time: clockTime(sourcesAwaySince) })}</span>;
};

/** Returns one line: which frames show the paper, and the state of the first, before others one in trouble. */
export function shownLine({ id }: Paper): string {
  const showing = framesShowing(id);
  const [first] = [...showing].sort((a, b) => Number(b.trouble !== null) - Number(a.trouble !== null));
  if (first === undefined) return t('papers.shownNowhere');
  const name = first.name === '' ? t('frame.noName') : first.name;
  const line = t('papers.shownOn', { name, line: troubleLine(first) ?? frameLine(first) });
  return showing.length === 1 ? line : `${line} ${t('papers.andMore', { count: showing.length - 1 })}`;
}
