/** The guests' page: somebody without an account sends pictures to one paper, and follows them to the glass. */
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi, type Problem } from '../ground/call-api.ts';
import type { Screen } from '../ground/screen.ts';
import { clockTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { readThrough } from '../parts/drafts/ask-readable.ts';
import { drafts } from '../parts/drafts/drafts.ts';
import { FilePicker, RefusedFiles, useFiles } from '../parts/drafts/file-picker.tsx';
import { keepDraftsAs } from '../parts/drafts/keep-drafts.ts';
import { LanguageSelect } from '../parts/forms/language-select.tsx';
import { Icon } from '../parts/icon.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { GuestDrafts } from './guest-drafts.tsx';
import { followGuest, guest, guestHeaders, guestName, guestProblem, readGuest } from './guest-link.ts';
import { GuestList } from './guest-list.tsx';

type GuestShown = AnswerOf<'GET /guest/'>;

/** The page. */
export const GuestPage: Screen = () => {
  useTitle(guest.value?.paper.title ?? t('guest.title'));
  useEffect(followGuest, []);
  useEffect(
    () => readThrough((form) => callApi('POST /guest/previews/readable/', { form, headers: guestHeaders() })),
    [],
  );
  const name = guestName();
  useEffect(() => keepDraftsAs(name), [name]);
  const isOver = useFiles();
  const [link, problem] = [guest.value, guestProblem.value];
  return (
    <main class={isOver.value ? 'guest send over' : 'guest send'} tabIndex={-1}>
      <p class="brand">
        <Icon name="brand" />
        <span>Papergate</span>
      </p>
      {link === undefined && problem === undefined && <Loading />}
      {link === undefined && problem !== undefined && <NoLink problem={problem} />}
      {link !== undefined && <OpenLink link={link} problem={problem} />}
      <LanguageSelect class="language" />
    </main>
  );
};

/** For a link that opens nothing, the page explains how it ended, and what to do. */
const NoLink = ({ problem }: { readonly problem: Problem }) => {
  const [, end] = /^guest-link-(unknown|expired|revoked)$/.exec(problem.code) ?? [];
  if (end === undefined) {
    return (
      <>
        <h1>{t('guest.title')}</h1>
        <ProblemBox problem={problem} again={() => void readGuest()} />
      </>
    );
  }
  const ended = end as 'unknown' | 'expired' | 'revoked';
  return (
    <div class="empty">
      <h1>{t(`guest.${ended}`)}</h1>
      <p>{t(`guest.${ended}Hint`)}</p>
    </div>
  );
};

const OpenLink = ({
  link: { name, paper, left, expiresAt },
  problem,
}: {
  readonly link: GuestShown;
  readonly problem: Problem | undefined;
}) => {
  const facts = [
    left === null || left === 0 ? '' : t('guest.left', { count: left }),
    expiresAt === null ? '' : t('guest.until', { time: clockTime(expiresAt) }),
  ].filter(Boolean);
  return (
    <>
      <div>
        <h1 dir="auto">{paper.title}</h1>
        <p dir="auto">{t(paper.isAlbum ? 'guest.helloAlbum' : 'guest.helloPaper', { name })}</p>
        {facts.length > 0 && <p class="note">{facts.join(' ')}</p>}
      </div>
      {problem !== undefined && <ProblemBox problem={problem} again={() => void readGuest()} />}
      {left === 0 ? <p class="warn">{t('guest.usedUp')}</p> : <FilePicker isSmall={drafts.value.length > 0} />}
      <RefusedFiles />
      <GuestDrafts />
      <GuestList />
    </>
  );
};
