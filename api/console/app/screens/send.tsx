/** Sending pictures: choose, crop, see what the panel will show, say where, and follow it to the glass. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { fleetState, followFleet, loadFleet } from '../fleet.ts';
import { confirmed } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { act, say } from '../parts/messages.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { query, setQuery } from '../router.ts';
import type { Screen } from '../screen.ts';
import { CropEditor } from '../send/crop-editor.tsx';
import { DraftTabs } from '../send/draft-tabs.tsx';
import { addFiles, chosenDraft, type Draft, drafts, removeDraft } from '../send/drafts.ts';
import { maxCaption } from '../send/draw-crop.ts';
import { FilePicker, RefusedFiles, useFiles } from '../send/file-picker.tsx';
import { PreviewPanel } from '../send/preview-panel.tsx';
import { sendDrafts } from '../send/send-drafts.ts';
import { SendingList } from '../send/sending-list.tsx';
import { takeShared } from '../send/shared-pictures.ts';
import { rivalOf, TargetList, whatHappens } from '../send/target-list.tsx';
import { readPicturePapers, type Target, targets } from '../send/targets.ts';
import { mayWrite, organizationId } from '../session.ts';
import { t } from '../words.ts';

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
      <FilePicker />
      <RefusedFiles />
      {problem !== undefined && !isLoaded && <ProblemBox problem={problem} again={() => void loadFleet()} />}
      {drafts.value.length > 0 && (isLoaded ? <Workbench /> : problem === undefined && <Loading />)}
      <SendingList />
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
  // A single frame needs no choice, for the first picture.
  useEffect(() => {
    const [only, second] = targets.value;
    const [first] = drafts.value;
    if (only === undefined || second !== undefined || first === undefined) return;
    if (drafts.value.every((one) => one.targets.peek().length === 0)) first.targets.value = [only.id];
  }, [drafts.value.length, targets.value.length]);
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
  const reason = placed.length === 0 ? t('send.chooseWhere') : clash ? t('send.clash') : undefined;
  const send = async (): Promise<void> => {
    const replaced = placed.flatMap(chosenTargets).filter(({ paper }) => paper?.isAlbum === false);
    const text = replaced.map((target) => `${target.name}: ${whatHappens(target)}`).join(' ');
    const asked = { title: t('send.replaceTitle'), text, yes: t('send.replaceYes') };
    if (replaced.length > 0 && !(await confirmed(asked))) return;
    isBusy.value = true;
    const { sent, failed } = await sendDrafts(placed);
    isBusy.value = false;
    if (sent > 0) say(t('send.done', { count: sent }));
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
