/** One picture, large and in the shape of its panel: cut, looked at, and written below. */
import { useSignal } from '@preact/signals';
import { t } from '../ground/words.ts';
import { CropEditor } from '../parts/drafts/crop-editor.tsx';
import { DraftTabs } from '../parts/drafts/draft-tabs.tsx';
import { chosenDraft, type Draft, draftsInHand, removeDraft, setFromHere } from '../parts/drafts/drafts.ts';
import { maxCaption } from '../parts/drafts/draw-crop.ts';
import { unkept } from '../parts/drafts/keep-drafts.ts';
import { Field } from '../parts/forms/field.tsx';
import { placesOf } from './places.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { type Target, targets } from './targets.ts';
import { TimesField } from './times-field.tsx';

/** The picture that is worked on. */
export const draftAtWork = (): Draft | undefined =>
  draftsInHand().find(({ key }) => key === chosenDraft.value) ?? draftsInHand()[0];

/** The panels that a picture is cut for, one of each shape; while no place is chosen, that of the first one. */
function panelsFor(draft: Draft): readonly Target[] {
  const chosen = placesOf(draft);
  const all = chosen.length > 0 ? chosen : targets.value.slice(0, 1);
  const shapeOf = ({ size: [width, height] }: Target): string => (width / height).toFixed(3);
  return all.filter((target, at) => all.findIndex((one) => shapeOf(one) === shapeOf(target)) === at);
}

/** Draws it, with the choice among several. */
export const Workbench = ({ draft }: { readonly draft: Draft }) => (
  <>
    {draftsInHand().length > 1 && <DraftTabs chosen={draft} />}
    {[...unkept.value].length > 0 && (
      <p class="warn" role="status">
        {t('send.unkept', { count: unkept.value.size })}
      </p>
    )}
    <section class="workbench" aria-label={draft.name} key={draft.key}>
      <Panels draft={draft} />
      <div class="choices">
        <div class="captioned">
          <Field label={t('send.caption')} value={draft.caption} hint={t('send.captionHint')} maxLength={maxCaption} />
          {draft.caption.value.trim() !== '' && <CaptionPlaceChoice draft={draft} />}
        </div>
        <TimesField draft={draft} />
        <button type="button" class="plain" onClick={() => removeDraft(draft.key)}>
          {t('send.remove')}
        </button>
      </div>
    </section>
  </>
);

/** The crop and the preview: side by side where there is room, else one of them at a time. */
const Panels = ({ draft }: { readonly draft: Draft }) => {
  const isPreviewed = useSignal(false);
  const viewed = useSignal('');
  const panels = panelsFor(draft);
  const [first, ...others] = panels;
  if (first === undefined) return null;
  const target = panels.find(({ id }) => id === viewed.value) ?? first;
  const view = (id: string) => () => {
    viewed.value = id;
  };
  return (
    <>
      <fieldset class="views" aria-label={t('send.view')}>
        {([false, true] as const).map((one) => (
          <button
            key={String(one)}
            type="button"
            aria-pressed={isPreviewed.value === one}
            onClick={() => {
              isPreviewed.value = one;
            }}
          >
            {t(one ? 'send.viewPreview' : 'send.viewCrop')}
          </button>
        ))}
      </fieldset>
      <div class={isPreviewed.value ? 'panels previewed' : 'panels'}>
        <div class="crops" onPointerDown={view(first.id)} onFocusIn={view(first.id)}>
          <CropEditor draft={draft} panel={first.size} name={others.length > 0 ? first.name : undefined} />
        </div>
        <PreviewPanel key={target.id} draft={draft} target={target} />
      </div>
      {others.length > 0 && (
        <div class="other-crops">
          {others.map((other) => (
            <section key={other.id} onPointerDown={view(other.id)} onFocusIn={view(other.id)}>
              <h3 dir="auto">{t('send.cropAlso', { name: other.name || t('frame.noName') })}</h3>
              <CropEditor draft={draft} panel={other.size} name={other.name} follows />
            </section>
          ))}
        </div>
      )}
    </>
  );
};

const CaptionPlaceChoice = ({ draft }: { readonly draft: Draft }) => (
  <fieldset class="choice">
    <legend class="visually-hidden">{t('send.captionAt')}</legend>
    {(['bottom', 'top'] as const).map((place) => (
      <label key={place}>
        <input
          type="radio"
          name={`caption-${draft.key}`}
          checked={draft.captionAt.value === place}
          onChange={() => setFromHere(draft, 'captionAt', place)}
        />
        <span>{t(`send.captionAt.${place}`)}</span>
      </label>
    ))}
  </fieldset>
);
