/** The pictures that a guest is about to send: cut to the panel, with a caption, then sent one by one. */

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { callApi } from '../ground/call-api.ts';
import { saidText } from '../ground/said.ts';
import { t } from '../ground/words.ts';
import { fileOf } from '../parts/drafts/ask-readable.ts';
import type { Size } from '../parts/drafts/crop.ts';
import { CropEditor } from '../parts/drafts/crop-editor.tsx';
import { DraftTabs } from '../parts/drafts/draft-tabs.tsx';
import { chosenDraft, type Draft, drafts, messageIdOf, removeDraft } from '../parts/drafts/drafts.ts';
import { maxCaption, pictureOf } from '../parts/drafts/draw-crop.ts';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { say, sayProblem } from '../parts/messages.tsx';
import { guest, guestHeaders, readGuest } from './guest-link.ts';
import { GuestPreviewPicture } from './guest-preview.tsx';

/** The shape where no frame shows the paper yet. */
const plainPanel: Size = [800, 480];

/** The pixels for which pictures are cut. */
function panelSize(): Size {
  const panel = guest.value?.panel;
  return panel == null ? plainPanel : [panel.width, panel.height];
}

/** Draws the picture that is worked on, the choice among them, and the button that sends all. */
export const GuestDrafts: ComponentType = () => {
  const draft = drafts.value.find(({ id }) => id === chosenDraft.value) ?? drafts.value[0];
  if (draft === undefined) return null;
  return (
    <section class="guest-drafts" aria-label={t('guest.toSend')}>
      {drafts.value.length > 1 && <DraftTabs chosen={draft} />}
      <div key={draft.id}>
        <CropEditor draft={draft} panel={panelSize()} />
        {guest.value?.showsResult === true && guest.value.panel !== null && guest.value.left !== 0 && (
          <GuestPreviewPicture draft={draft} size={panelSize()} />
        )}
        <Field label={t('send.caption')} value={draft.caption} hint={t('guest.captionHint')} maxLength={maxCaption} />
        <button type="button" class="plain" onClick={() => removeDraft(draft.id)}>
          {t('send.remove')}
        </button>
      </div>
      <GuestSendButton />
    </section>
  );
};

const GuestSendButton: ComponentType = () => {
  const isBusy = useSignal(false);
  const progress = useSignal('');
  const left = guest.value?.left ?? null;
  const count = drafts.value.length;
  const isTooMany = left !== null && count > left;
  const send = async (): Promise<void> => {
    isBusy.value = true;
    const all = drafts.peek();
    let sent = 0;
    for (const draft of all) {
      progress.value = t('guest.sending', { place: sent + 1, count: all.length });
      if (!(await sendDraft(draft))) break;
      sent += 1;
    }
    progress.value = '';
    isBusy.value = false;
    if (sent > 0) say(t('send.done', { count: sent }));
    await readGuest();
  };
  return (
    <div class="send-bar">
      <button type="button" class="primary" disabled={isBusy.value || isTooMany} onClick={() => void send()}>
        <Icon name="send" />
        {isBusy.value ? t('send.uploading') : t('send.send', { count })}
      </button>
      <p class="note" role="status">
        {isTooMany ? t('guest.tooMany', { count: left }) : progress.value}
      </p>
    </div>
  );
};

/** Sends a picture. One that did not go out stays as it is; tried again, it comes once. */
async function sendDraft(draft: Draft): Promise<boolean> {
  try {
    const { remark, remarks } = await callApi('POST /guest/pictures/', {
      query: { messageId: messageIdOf(draft, 'guest') },
      form: {
        picture: fileOf(await pictureOf(draft, panelSize()), draft.name),
        caption: draft.caption.peek().trim(),
      },
      headers: guestHeaders(),
    });
    if (remark !== undefined) say(saidText(remarks, remark));
    removeDraft(draft.id);
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}
