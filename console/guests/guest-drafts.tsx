/** The pictures that a guest is about to send: cut to the panel, with a caption, then sent one by one. */

import { useSignal } from '@preact/signals';
import { saidText } from '../ground/said.ts';
import { type Progress, uploadApi } from '../ground/upload.ts';
import { t } from '../ground/words.ts';
import { fileOf } from '../parts/drafts/ask-readable.ts';
import { boundCrop, type Size } from '../parts/drafts/crop.ts';
import { CropEditor } from '../parts/drafts/crop-editor.tsx';
import { DraftTabs } from '../parts/drafts/draft-tabs.tsx';
import { chosenDraft, cropFor, type Draft, drafts, messageIdOf, removeDraft } from '../parts/drafts/drafts.ts';
import { maxCaption } from '../parts/drafts/draw-crop.ts';
import { pictureOf } from '../parts/drafts/draw-picture.ts';
import { unkept } from '../parts/drafts/keep-drafts.ts';
import { UploadProgress } from '../parts/drafts/upload-progress.tsx';
import { Field } from '../parts/forms/field.tsx';
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
export const GuestDrafts = () => {
  const draft = drafts.value.find(({ key }) => key === chosenDraft.value) ?? drafts.value[0];
  if (draft === undefined) return null;
  return (
    <section class="guest-drafts" aria-label={t('guest.toSend')}>
      {drafts.value.length > 1 && <DraftTabs chosen={draft} />}
      {unkept.value.size > 0 && (
        <p class="warn" role="status">
          {t('send.unkept', { count: unkept.value.size })}
        </p>
      )}
      <div key={draft.key}>
        <CropEditor draft={draft} panel={panelSize()} />
        {guest.value?.showsResult === true && guest.value.panel !== null && guest.value.left !== 0 && (
          <GuestPreviewPicture draft={draft} size={panelSize()} />
        )}
        <Field label={t('send.caption')} value={draft.caption} hint={t('guest.captionHint')} maxLength={maxCaption} />
        <button type="button" class="plain" onClick={() => removeDraft(draft.key)}>
          {t('send.remove')}
        </button>
      </div>
      <GuestSendButton />
    </section>
  );
};

const GuestSendButton = () => {
  const isBusy = useSignal(false);
  const progress = useSignal('');
  const bytes = useSignal<{ name: string; progress: Progress | undefined } | undefined>(undefined);
  const left = guest.value?.left ?? null;
  const count = drafts.value.length;
  const isTooMany = left !== null && count > left;
  const send = async (): Promise<void> => {
    isBusy.value = true;
    const all = drafts.peek();
    let sent = 0;
    for (const draft of all) {
      progress.value = t('guest.sending', { place: sent + 1, count: all.length });
      bytes.value = { name: draft.name, progress: undefined };
      const isSent = await sendDraft(draft, (gone) => {
        bytes.value = { name: draft.name, progress: gone };
      });
      if (!isSent) break;
      sent += 1;
    }
    progress.value = '';
    bytes.value = undefined;
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
      {bytes.value !== undefined && <UploadProgress {...bytes.value} />}
      <p class="note" role="status">
        {isTooMany ? t('guest.tooMany', { count: left }) : progress.value}
      </p>
    </div>
  );
};

/** Sends a picture. One that did not go out stays as it is; tried again, it comes once. */
async function sendDraft(draft: Draft, note: (progress: Progress) => void): Promise<boolean> {
  try {
    const panel = panelSize();
    const looks = { caption: draft.caption.peek(), captionAt: draft.captionAt.peek() };
    const crop = boundCrop(draft.size, panel, cropFor(draft, panel));
    const { remark, remarks } = await uploadApi('POST /guest/pictures/', note, {
      query: { messageId: messageIdOf(draft, 'guest') },
      form: {
        picture: fileOf(await pictureOf(draft, { panel, crop, ...looks }), draft.name),
        caption: draft.caption.peek().trim(),
      },
      headers: guestHeaders(),
    });
    if (remark !== undefined) say(saidText(remarks, remark));
    removeDraft(draft.key);
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}
