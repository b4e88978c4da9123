/** How old the data in a picture are: those on the glass, and those in the picture that is on its way. */
import type { AnswerOf } from '../ground/call-api.ts';
import { papers } from '../ground/paper-book.ts';
import { saidText } from '../ground/said.ts';
import { fullTime, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';

type Sources = AnswerOf<'GET /devices/why/{deviceId}'>['sources'];

interface DataAgesProps {
  /** Those of the picture that was offered last. */
  readonly sources: Sources;
  /** Those of the picture that the frame reported last. */
  readonly glassSources: Sources;
}

/** Draws the lists; nothing for a picture without sources. */
export const DataAges = ({ sources, glassSources }: DataAgesProps) => {
  const isSame = JSON.stringify(sources) === JSON.stringify(glassSources);
  return (
    <>
      {glassSources.length > 0 && <AgeList title={t('ages.onGlass')} sources={glassSources} />}
      {!isSame && sources.length > 0 && <AgeList title={t('ages.newest')} sources={sources} />}
    </>
  );
};

const AgeList = ({ title, sources }: { readonly title: string; readonly sources: Sources }) => (
  <>
    <p class="note">{title}</p>
    <ul class="plain">
      {sources.map(({ name, paperId, answeredAt, problems }) => (
        <li key={`${paperId} ${name}`}>
          <strong dir="auto">{nameOf(name, paperId)}</strong>{' '}
          <span class="note" title={answeredAt === null ? undefined : fullTime(answeredAt)}>
            {answeredAt === null ? t('ages.never') : t('ages.asOf', { when: relativeTime(answeredAt) })}
          </span>
          {problems.length > 0 && <p class="warn">{saidText(problems, '')}</p>}
        </li>
      ))}
    </ul>
  </>
);

const nameOf = (name: string, paperId: string | null): string => {
  const source = name === '' ? t('ages.sent') : name;
  const title = paperId === null ? undefined : papers.value.get(paperId)?.title;
  return title === undefined ? source : `${title}: ${source}`;
};
