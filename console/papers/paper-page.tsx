/** One paper: its picture, the frames that show it, its settings, and its removal. */
import { useEffect } from 'preact/hooks';
import { callApi, Problem } from '../ground/call-api.ts';
import { fleet, loadFleet } from '../ground/fleet.ts';
import { framesShowing, type Paper, papers, papersState, putPaper, rereadPaper } from '../ground/paper-book.ts';
import { isDraftable, kindName, traitsOf } from '../ground/paper-kinds.ts';
import { asProblem, useResource } from '../ground/resource.ts';
import { goTo, hrefOf } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { clockTime, fullTime, relativeTime } from '../ground/times.ts';
import { listWords, t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import { act } from '../parts/messages.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { TimedList } from '../parts/timed-list.tsx';
import { useTitle } from '../parts/title.ts';
import { AddressLogins } from './address-logins.tsx';
import { ChangesOfPaper } from './changes-of-paper.tsx';
import { Deadlines } from './deadlines.tsx';
import { draftFor, type PaperDraft } from './draft/paper-draft.ts';
import { DraftPreview, isPreviewed } from './draft-preview.tsx';
import { GuestLinks } from './guest-links.tsx';
import { Integration } from './integration/integration.tsx';
import { AlbumPictures } from './kinds/album-pictures.tsx';
import { SettingsForm } from './kinds/settings-form.tsx';
import { hasWrongSelector } from './kinds/website-fields.tsx';
import { shownLine } from './paper-list.tsx';
import { PaperPicture } from './paper-picture.tsx';
import { PartMaker } from './part-maker.tsx';
import { useAlbumPost } from './post/album-post.ts';
import { PostSection } from './post/post-section.tsx';
import { WaitingMails } from './post/waiting-mails.tsx';
import { RecipeDataCard } from './recipe-data.tsx';
import { RemarkOnPaper } from './remark-on-paper.tsx';
import { ShownOn, showOn } from './shown-on.tsx';
import { AlbumSources } from './sources/album-sources.tsx';

/** The page of a paper. */
export const PaperPage = ({ id }: { readonly id: string }) => {
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
  const draft = draftFor(read.value);
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
            <PictureOrDraft paper={paper} draft={draft} />
            <NextPicture paper={paper} />
            <ChangesOfPaper paper={paper} />
            <RemarkOnPaper paperId={paper.id} />
            {mayWrite.value && paper.kind === 'image' && (
              <a class="button primary" href={hrefOf(`send?paper=${paper.id}`)}>
                <Icon name="send" />
                {t('papers.sendHere')}
              </a>
            )}
          </Card>
          {paper.kind === 'image' && <TimedList paper={paper.id} />}
          <ShownOn paper={paper} />
        </div>
        <Sections paper={paper} read={read.value} draft={draft} />
      </div>
    </>
  );
};

interface WithDraft {
  readonly paper: Paper;
  readonly draft: PaperDraft;
}

/** The parts next to the picture: what waits for a person, the settings, and who else may send. */
const Sections = ({ paper, read, draft }: WithDraft & { readonly read: Paper }) => {
  const post = useAlbumPost(paper);
  if (!mayWrite.value) return <div />;
  const traits = traitsOf(paper.kind);
  return (
    <div>
      {post.value !== undefined && <WaitingMails paperId={paper.id} post={post.value} reload={post.reload} />}
      <ShowFirst paper={paper} />
      {traits.isAlbum && <AlbumSources paper={paper} />}
      <Settings paper={read} draft={draft} />
      <Deadlines paper={paper} />
      {traits.isAlbum && <AlbumPictures paper={paper} />}
      {['recipe', 'remote', 'board'].includes(paper.kind) && <RecipeDataCard paper={paper} />}
      {traits.hasLogins && <AddressLogins key={paper.id} paper={paper} />}
      {traits.takesGuests && <GuestLinks paperId={paper.id} changedAt={paper.updatedAt} />}
      {traits.isAlbum && <PostSection paperId={paper.id} read={post} />}
      {paper.kind === 'plugin' && <Integration paper={paper} />}
      <Remove paper={paper} />
    </div>
  );
};

/** The picture of the paper, or what it would be: with what is typed and not saved, or once a frame shows it. */
const PictureOrDraft = ({ paper, draft }: WithDraft) => {
  const isEdited = Object.keys(draft.changes.value).length > 0;
  const device = framesShowing(paper.id)[0]?.id ?? (fleet.value.has(paper.deviceId ?? '') ? paper.deviceId : undefined);
  const preview = mayWrite.value && isPreviewed(paper.kind, paper.id) && typeof device === 'string' && (
    <DraftPreview draft={draft} deviceId={device} isWanted={!hasWrongSelector(draft)} />
  );
  const isDraft = isEdited && preview !== false;
  const instead = isDraftable(paper.kind) && preview;
  return (
    <>
      <div class="paper-picture">
        {isDraft ? preview : <PaperPicture paper={paper} kind=".png" instead={instead || undefined} />}
      </div>
      <p class="line">{isDraft ? t('papers.notSaved') : shownLine(paper)}</p>
    </>
  );
};

/** Whether the paper goes on with each wake: an album may stay with a picture for longer, or until a newer one comes. */
const goesOn = ({ kind, meta }: Paper): boolean =>
  kind === 'slides' || (kind === 'album' && !meta.every && meta.order !== 'newest');

/** When a paper that goes on with each wake shows its next picture. */
const NextPicture = ({ paper }: { readonly paper: Paper }) => {
  const [frame] = framesShowing(paper.id);
  if (!goesOn(paper) || frame === undefined || frame.nextWakeAt === null) return null;
  return <p class="note">{t('papers.nextPicture', { name: frame.name, time: clockTime(frame.nextWakeAt) })}</p>;
};

/** A paper that no frame shows yet: the one it was made for is one step away, or waits for the first picture. */
const ShowFirst = ({ paper }: { readonly paper: Paper }) => {
  const device = fleet.value.get(paper.deviceId ?? '');
  if (device === undefined || framesShowing(paper.id).length > 0) return null;
  const name = device.name || t('frame.noName');
  if (paper.waitsForPicture === true) return <p class="card note">{t('papers.waitsForPicture', { name })}</p>;
  const isReady = paper.kind !== 'plugin' || typeof paper.meta.pluginConfigUrl === 'string';
  return (
    <Card id="paper-first" title={t('papers.shownNowhereYet')}>
      <div class="actions">
        <button type="button" class="primary" disabled={!isReady} onClick={() => void showOn(device, paper)}>
          {t('papers.showHere', { name })}
        </button>
      </div>
    </Card>
  );
};

const Settings = ({ paper, draft }: WithDraft) => {
  // A paper that somebody else changes while nothing is typed here is shown as it is.
  const live = papers.value.get(paper.id);
  useEffect(() => {
    if (live !== undefined && Object.keys(draft.changes.peek()).length === 0) draft.base.value = live;
  }, [live]);
  const device = fleet.value.has(paper.deviceId ?? '') ? paper.deviceId : [...fleet.value.keys()][0];
  return (
    <>
      <SettingsForm draft={draft} />
      <PartMaker deviceId={device ?? ''} />
    </>
  );
};

/** Removes a paper; the problem names the frames that have just begun to show it. */
async function removeUnshown(id: string): Promise<void> {
  try {
    await callApi('DELETE /papers/{paperId}', { path: { paperId: id } });
  } catch (error) {
    if (asProblem(error).code !== 'still-needed') throw error;
    await loadFleet();
    const names = framesShowing(id).map(({ name }) => name || t('frame.noName'));
    throw new Problem(409, { code: 'paper-shown', message: t('papers.removeShown', { names: listWords(names) }) });
  }
}

const Remove = ({ paper: { id, title } }: { readonly paper: Paper }) => {
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
          {t('papers.removeShown', { names: listWords(showing.map(({ name }) => name || t('frame.noName'))) })}
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
