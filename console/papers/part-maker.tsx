/** Makes a paper for another one that shows it, over the page: what was typed there stays, and the new one is in its list. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { fleet } from '../ground/fleet.ts';
import { isDraftable, partKinds, traitsOf } from '../ground/paper-kinds.ts';
import { t } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import type { Size } from '../parts/drafts/crop.ts';
import type { Draft } from '../parts/drafts/drafts.ts';
import { ChoiceField } from '../parts/forms/choice-field.tsx';
import { Field } from '../parts/forms/field.tsx';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { nameField } from './draft/meta-fields.tsx';
import { newPaperDraft, type PaperDraft } from './draft/paper-draft.ts';
import { partRequest } from './draft/part-request.ts';
import { DraftPreview } from './draft-preview.tsx';
import { KindFields } from './kinds/settings-form.tsx';
import { isComplete, makePart, type NewPaperChoice, suggestedName } from './make-paper.ts';
import { PartPicture } from './part-picture.tsx';

interface MakerProps {
  /** The frame for whose panel it is drawn; empty where there is none. */
  readonly deviceId: string;
}

/** Draws the form while somebody wants a part. It stands once on a page, outside of every other form. */
export const PartMaker = ({ deviceId }: MakerProps) =>
  partRequest.value === undefined ? null : <PartForm deviceId={deviceId} />;

function close(): void {
  partRequest.value = undefined;
}

const PartForm = ({ deviceId }: MakerProps) => {
  const kind = useSignal<string>('image');
  const picture = useSignal<Draft | undefined>(undefined);
  const drafts = useMemo(() => new Map<string, PaperDraft>(), []);
  // Anyone who leaves the page leaves the form: no other page opens it with the list of this one.
  useEffect(() => close, []);
  const organization = partRequest.value?.organization ?? '';
  const draft = drafts.get(kind.value) ?? newPaperDraft(kind.value, organization);
  drafts.set(kind.value, draft);
  const panel = fleet.value.get(deviceId)?.panel;
  const size: Size = [panel?.width ?? 800, panel?.height ?? 480];
  const wish: NewPaperChoice = { draft, deviceId, isShown: false, integration: '' };
  const isWhole = isComplete(wish) && (!traitsOf(kind.value).takesPictures || picture.value !== undefined);
  const make = async (): Promise<void> => {
    const drawn = picture.peek();
    const id = await makePart(
      wish,
      traitsOf(draft.base.peek().kind).takesPictures && drawn ? { drawn, size } : undefined,
    );
    if (id === undefined) return;
    partRequest.peek()?.add(id);
    close();
  };
  return (
    <FormDialog title={t('slides.makeOne')} yes={t('slides.makeAndAdd')} isEmpty={!isWhole} submit={make} close={close}>
      {deviceId === '' && <p class="warn">{t('papers.noFrameHint')}</p>}
      <ChoiceField
        label={t('papers.whatKind')}
        value={bound(kind.value, (name) => {
          kind.value = name;
        })}
        choices={partKinds.map((name) => [name, t(`papers.kind.${name}`)])}
      />
      {traitsOf(kind.value).takesPictures ? (
        <PartPicture picture={picture} size={size} />
      ) : (
        <KindFields key={kind.value} draft={draft} />
      )}
      <Field
        label={t('papers.name')}
        value={draft.typed(nameField(kind.value))}
        maxLength={80}
        placeholder={suggestedName(draft)}
      />
      {isDraftable(kind.value) && (
        <div class="paper-picture">
          <DraftPreview key={kind.value} draft={draft} deviceId={deviceId} isWanted={isWhole} />
        </div>
      )}
      <p class="note">{t('slides.makeElsewhere')}</p>
    </FormDialog>
  );
};
