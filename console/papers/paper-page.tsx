/** One paper: its picture, the frames that show it, its settings, and its removal. */
import type { ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { callApi, Problem } from '../ground/call-api.ts';
import { loadFleet } from '../ground/fleet.ts';
import { framesShowing, type Paper, papers, papersState, putPaper, rereadPaper } from '../ground/paper-book.ts';
import { kindName, traitsOf } from '../ground/paper-kinds.ts';
import { asProblem, useResource } from '../ground/resource.ts';
import { goTo, hrefOf } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { fullTime, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import { act } from '../parts/messages.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { TimedList } from '../parts/timed-list.tsx';
import { useTitle } from '../parts/title.ts';
import { AddressLogins } from './address-logins.tsx';
import { AlbumPictures } from './album-pictures.tsx';
import { GuestLinks } from './guest-links.tsx';
import { Integration } from './integration.tsx';
import { draftFor } from './paper-draft.ts';
import { PaperPicture, shownLine } from './paper-list.tsx';
import { SettingsForm } from './settings-form.tsx';
import { ShownOn } from './shown-on.tsx';

/** The page of a paper. */
export const PaperPage: ComponentType<{ readonly id: string }> = ({ id }) => {
  const isGone = papersState.value.isLoaded && !papers.value.has(id);
  const read = useResource<Paper>(() => rereadPaper(id), [id, isGone]);
  const paper = papers.value.get(id) ?? read.value;
  useTitle(paper?.title ?? t('nav.papers'));
  if (read.problem?.status === 404 || read.problem?.status === 400)
    return (
      <>
        <h1>{t('nav.papers')}</h1>
        <EmptyState title={t('papers.gone')}>
          <a href={hrefOf('papers')}>{t('papers.toAll')}</a>
        </EmptyState>
      </>
    );
  if (read.problem !== undefined && paper === undefined)
    return <ProblemBox problem={read.problem} again={() => void read.reload()} />;
  if (paper === undefined || read.value === undefined) return <Loading />;
  const traits = traitsOf(paper.kind);
  return (
    <>
      <a class="back" href={hrefOf('papers')}>
        <Icon name="back" />
        <span>{t('papers.toAll')}</span>
      </a>
      <div class="heading">
        <h1 dir="auto">{paper.title}</h1>
        <p class="note">
          {kindName(paper.kind)} ·{' '}
          <span title={fullTime(paper.updatedAt)}>
            {t('papers.changedAt', { when: relativeTime(paper.updatedAt), author: paper.author })}
          </span>
        </p>
      </div>
      <div class="paper-page">
        <div>
          <Card id="paper-picture" title={t('papers.picture')}>
            <div class="paper-picture">
              <PaperPicture paper={paper} kind=".png" />
            </div>
            <p class="line">{shownLine(paper)}</p>
            {mayWrite.value && paper.kind === 'image' && (
              <a class="button primary" href={hrefOf(`send?paper=${paper.id}`)}>
                <Icon name="send" />
                {t('papers.sendHere')}
              </a>
            )}
          </Card>
          {paper.kind === 'image' && <TimedList paper={paper.id} />}
          <ShownOn paper={paper} />
          {traits.isAlbum && mayWrite.value && <AlbumPictures paper={paper} />}
        </div>
        <div>
          {mayWrite.value && <Settings paper={read.value} />}
          {traits.hasLogins && mayWrite.value && <AddressLogins key={paper.id} paper={paper} />}
          {traits.takesGuests && mayWrite.value && <GuestLinks paperId={paper.id} changedAt={paper.updatedAt} />}
          {paper.kind === 'plugin' && mayWrite.value && <Integration paper={paper} />}
          {mayWrite.value && <Remove paper={paper} />}
        </div>
      </div>
    </>
  );
};

const Settings: ComponentType<{ readonly paper: Paper }> = ({ paper }) => {
  const draft = useMemo(() => draftFor(paper), [paper.id]);
  // A paper that somebody else changes while nothing is typed here is shown as it is.
  const live = papers.value.get(paper.id);
  useEffect(() => {
    if (live !== undefined && Object.keys(draft.changes.peek()).length === 0) draft.base.value = live;
  }, [live]);
  return <SettingsForm draft={draft} />;
};

/** Removes a paper; when a frame has just begun to show it, its name is said. */
async function removeUnshown(id: string): Promise<void> {
  try {
    await callApi('DELETE /papers/{paperId}', { path: { paperId: id } });
  } catch (error) {
    if (asProblem(error).code !== 'still-needed') throw error;
    await loadFleet();
    const names = framesShowing(id).map(({ name }) => name || t('frame.noName'));
    throw new Problem(409, { code: 'paper-shown', message: t('papers.removeShown', { names: names.join(', ') }) });
  }
}

const Remove: ComponentType<{ readonly paper: Paper }> = ({ paper: { id, title } }) => {
  const showing = framesShowing(id);
  const remove = async (): Promise<void> => {
    const question = {
      title: t('papers.removeTitle', { title }),
      text: t('papers.removeText'),
      yes: t('papers.remove'),
    };
    if (!(await confirmed(question))) return;
    if (!(await act(() => removeUnshown(id), t('papers.removed', { title })))) return;
    putPaper(id, undefined);
    goTo('papers');
  };
  return (
    <Card id="paper-remove" title={t('papers.remove')}>
      {showing.length > 0 && (
        <p class="note">
          {t('papers.removeShown', { names: showing.map(({ name }) => name || t('frame.noName')).join(', ') })}
        </p>
      )}
      <div class="actions">
        <button type="button" class="danger" disabled={showing.length > 0} onClick={() => void remove()}>
          {t('papers.remove')}
        </button>
      </div>
    </Card>
  );
};
