/** Sending pictures: choose, crop, see what the panel will show, say where, and follow it to the glass. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { fleetState, followFleet, loadFleet } from '../ground/fleet.ts';
import { readPicturePapers } from '../ground/picture-papers.ts';
import { query, setQuery } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite, organizationId } from '../ground/session.ts';
import { now } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { confirmed } from '../parts/confirm.tsx';
import { CropEditor } from '../parts/drafts/crop-editor.tsx';
import { DraftTabs } from '../parts/drafts/draft-tabs.tsx';
import { addFiles, chosenDraft, type Draft, drafts, removeDraft } from '../parts/drafts/drafts.ts';
import { maxCaption } from '../parts/drafts/draw-crop.ts';
import { FilePicker, RefusedFiles, useFiles } from '../parts/drafts/file-picker.tsx';
import { isTimed, timesTrouble } from '../parts/drafts/show-times.ts';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { act, say } from '../parts/messages.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { TimedList } from '../parts/timed-list.tsx';
import { useTitle } from '../parts/title.ts';
import { PreferredPlace, usePreferredPlace } from './preferred-place.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { sendDrafts } from './send-drafts.ts';
import { SendingList } from './sending-list.tsx';
import { takeShared } from './shared-pictures.ts';
import { rivalOf, TargetList, whatHappens } from './target-list.tsx';
import { type Target, targets } from './targets.ts';
import { TimesField } from './times-field.tsx';

/** The page. */
export const Send: Screen = () => {
  useTitle(t('nav.send'));
  useEffect(followFleet, []);
  useEffect(() => {
    if (organizationId.value !== '') void act(readPicturePapers);
  }, [organizationId.value]);
  useEffect(() => void takeWhatWasShared(), []);
  const isOver = useFiles();
  if (!mayWrite.value) {
    return (
      <>
        <h1>{t('nav.send')}</h1>
        <EmptyState title={t('send.mayNot')} />
      </>
    );
  }
  const { isLoaded, problem } = fleetState.value;
  return (
    <div class={isOver.value ? 'send over' : 'send'}>
      <div class="heading">
        <h1>{t('nav.send')}</h1>
        <p class="note">{t('send.intro')}</p>
      </div>
      <PreferredPlace isLoaded={isLoaded} />
      <FilePicker />
      <RefusedFiles />
      {problem !== undefined && !isLoaded && <ProblemBox problem={problem} again={() => void loadFleet()} />}
      {drafts.value.length > 0 && (isLoaded ? <Workbench /> : problem === undefined && <Loading />)}
      <SendingList />
      <TimedList />
    </div>
  );
};

/** Opens pictures that came by the phone's share menu. */
async function takeWhatWasShared(): Promise<void> {
  const how = query.peek().get('shared');
  const files = await takeShared().catch(() => []);
  if (how !== null) {
    setQuery({ shared: undefined });
    if (files.length === 0) say(t('send.shareMissed'), { isProblem: true });
  }
  await addFiles(files);
}

/** The panel that a picture is shown for while no place is chosen. */
function viewTarget(draft: Draft): Target | undefined {
  const chosen = draft.targets.value.find((id) => targets.value.some((target) => target.id === id));
  return targets.value.find(({ id }) => id === chosen) ?? targets.value[0];
}

const Workbench: ComponentType = () => {
  const draft = drafts.value.find(({ id }) => id === chosenDraft.value) ?? drafts.value[0];
  usePreferredPlace();
  if (draft === undefined) return null;
  const target = viewTarget(draft);
  return (
    <>
      {drafts.value.length > 1 && <DraftTabs chosen={draft} />}
      <section class="workbench" aria-label={draft.name} key={draft.id}>
        {target !== undefined && <CropEditor draft={draft} panel={target.size} />}
        {target !== undefined && <PreviewPanel draft={draft} target={target} />}
        <div class="choices">
          <Field label={t('send.caption')} value={draft.caption} hint={t('send.captionHint')} maxLength={maxCaption} />
          <TargetList draft={draft} />
          <TimesField draft={draft} />
          <button type="button" class="plain" onClick={() => removeDraft(draft.id)}>
            {t('send.remove')}
          </button>
        </div>
      </section>
      <SendButton />
    </>
  );
};

const SendButton: ComponentType = () => {
  const isBusy = useSignal(false);
  const placed = drafts.value.filter((draft) => draft.targets.value.length > 0);
  const clash = placed.some((draft) => chosenTargets(draft).some((target) => rivalOf(target, draft) !== undefined));
  const trouble = placed.map((draft) => timesTrouble(draft.times.value, now.value)).find((one) => one !== undefined);
  const isAlbumTimed = placed.some(
    (draft) => isTimed(draft.times.value) && chosenTargets(draft).some(({ paper }) => paper?.isAlbum === true),
  );
  const wrong = trouble !== undefined ? t(`send.times.${trouble}`) : isAlbumTimed ? t('send.times.album') : undefined;
  const reason = placed.length === 0 ? t('send.chooseWhere') : clash ? t('send.clash') : wrong;
  const send = async (): Promise<void> => {
    const lasting = placed.filter((draft) => !draft.times.peek().ends);
    const replaced = lasting.flatMap(chosenTargets).filter(({ paper }) => paper?.isAlbum === false);
    const text = replaced.map((target) => `${target.name}: ${whatHappens(target)}`).join(' ');
    const asked = { title: t('send.replaceTitle'), text, yes: t('send.replaceYes') };
    if (replaced.length > 0 && !(await confirmed(asked))) return;
    isBusy.value = true;
    const areKept = placed.every((draft) => isTimed(draft.times.peek()));
    const { sent, failed } = await sendDrafts(placed);
    isBusy.value = false;
    if (sent > 0) say(t(areKept ? 'send.kept' : 'send.done', { count: sent }));
    if (failed > 0) say(t('send.failed', { count: failed }), { isProblem: true });
  };
  return (
    <div class="send-bar">
      <button
        type="button"
        class="primary"
        disabled={isBusy.value || reason !== undefined}
        aria-describedby={reason === undefined ? undefined : 'send-reason'}
        onClick={() => void send()}
      >
        <Icon name="send" />
        {isBusy.value ? t('send.uploading') : t('send.send', { count: placed.length })}
      </button>
      <p class="note" id="send-reason" role="status">
        {reason ?? ''}
      </p>
    </div>
  );
};

const chosenTargets = (draft: Draft): Target[] => targets.value.filter(({ id }) => draft.targets.value.includes(id));
