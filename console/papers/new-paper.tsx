/** A new paper: its content with everything that this needs, its name, and the frame that it is made for. */
import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type FleetDevice, fleet, fleetState, loadFleet } from '../ground/fleet.ts';
import { isDraftable, type OfferedKind, offeredKinds } from '../ground/paper-kinds.ts';
import { hrefOf, query, setQuery } from '../ground/router.ts';
import { mayWrite, organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { type Bound, bound } from '../parts/bound.ts';
import { Card } from '../parts/card.tsx';
import { CheckField } from '../parts/forms/choice-field.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { frameChoices } from '../parts/forms/frame-choices.ts';
import { SearchChoice } from '../parts/forms/search-choice.tsx';
import { byNature } from '../parts/natural-order.ts';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { nameField } from './draft/meta-fields.tsx';
import { newPaperDraft, type PaperDraft } from './draft/paper-draft.ts';
import { DraftPreview } from './draft-preview.tsx';
import { Gallery } from './gallery.tsx';
import { KindChoice } from './kind-choice.tsx';
import { KindFields } from './kinds/settings-form.tsx';
import { likelyFrame, rememberFrame } from './last-frame.ts';
import { isComplete, makePaper, type NewPaperChoice, suggestedName, takesPictures } from './make-paper.ts';
import { PartMaker } from './part-maker.tsx';

/** The page of a new paper. */
export const NewPaper = () => {
  useTitle(t('papers.new'));
  return (
    <>
      <div class="heading">
        <h1>{t('papers.new')}</h1>
      </div>
      <FormOrReason />
    </>
  );
};

/** The form, or why there is none. */
const FormOrReason = () => {
  const { isLoaded, problem } = fleetState.value;
  if (!mayWrite.value) return <EmptyState title={t('papers.mayNot')} />;
  if (problem !== undefined && !isLoaded) return <ProblemBox problem={problem} again={() => void loadFleet()} />;
  if (!isLoaded) return <Loading />;
  if (fleet.value.size === 0)
    return (
      <EmptyState icon="frames" title={t('papers.noFrame')}>
        <p>{t('papers.noFrameHint')}</p>
        <a class="button primary" href={hrefOf('frames/add')}>
          {t('frames.add')}
        </a>
      </EmptyState>
    );
  return <NewPaperForm />;
};

interface NewPaperFields {
  /** It is part of the address, so that a reload and the back button keep it. */
  readonly kind: Bound<OfferedKind>;
  readonly device: Signal<string>;
  readonly isShown: Signal<boolean>;
  /** The address of an integration of the gallery, empty for none. */
  readonly integration: Signal<string>;
}

/** Keeps the typed settings of each kind while another one is looked at. */
function useDraft(kind: OfferedKind): PaperDraft {
  const drafts = useMemo(() => new Map<OfferedKind, PaperDraft>(), []);
  const draft = drafts.get(kind) ?? newPaperDraft(kind, organizationId.peek());
  drafts.set(kind, draft);
  return draft;
}

const NewPaperForm = () => {
  const devices = [...fleet.value.values()].sort((a, b) => byNature(a.name, b.name));
  const fields: NewPaperFields = {
    kind: bound(offeredKinds.find((one) => one === query.value.get('kind')) ?? 'image', (kind) => setQuery({ kind })),
    device: useSignal(query.peek().get('frame') ?? likelyFrame(devices)),
    isShown: useSignal(true),
    integration: useSignal(''),
  };
  const kind = fields.kind.value;
  const draft = useDraft(kind);
  const wish: NewPaperChoice = {
    draft,
    deviceId: fields.device.value,
    // A frame without anything to show is given what is made for it.
    isShown: fields.isShown.value || fleet.value.get(fields.device.value)?.paper == null,
    integration: fields.integration.value,
  };
  const isSeenBefore = isDraftable(kind);
  const make = (): Promise<void> => {
    rememberFrame(wish.deviceId);
    return makePaper(wish);
  };
  return (
    <>
      <Form class={isSeenBefore ? 'paper-page new' : ''} noValidate submit={make}>
        <div class="card paper-form">
          <KindChoice kind={fields.kind} />
          <h2 class="visually-hidden">{t('papers.firstFields')}</h2>
          <FirstFields draft={draft} integration={fields.integration} />
          <Field
            label={t('papers.name')}
            value={draft.typed(nameField(kind))}
            maxLength={80}
            placeholder={suggestedName(draft)}
          />
          <DeviceChoice devices={devices} fields={fields} />
          {!isSeenBefore && <FormActions wish={wish} />}
        </div>
        {isSeenBefore && (
          <Card id="draft-preview" title={t('preview.title')} class="stays">
            <div class="paper-picture">
              <DraftPreview key={kind} draft={draft} deviceId={fields.device.value} isWanted={isComplete(wish)} />
            </div>
          </Card>
        )}
        {isSeenBefore && <FormActions wish={wish} />}
      </Form>
      <PartMaker deviceId={fields.device.value} />
    </>
  );
};

/** The button says where it leads: what is drawn is made at once, other kinds go on elsewhere. */
const FormActions = ({ wish }: { readonly wish: NewPaperChoice }) => {
  const { kind } = wish.draft.base.value;
  const next = takesPictures(kind) ? 'papers.choosePictures' : kind === 'plugin' ? 'papers.toConnect' : 'papers.create';
  return (
    <div class="actions">
      <button type="submit" class="primary" disabled={!isComplete(wish)}>
        {t(next)}
      </button>
      <a class="button" href={hrefOf('papers')}>
        {t('state.cancel')}
      </a>
    </div>
  );
};

/** Draws the fields that the kind requires. */
const FirstFields = ({ draft, integration }: { readonly draft: PaperDraft; readonly integration: Signal<string> }) => {
  const { kind } = draft.base.value;
  if (kind === 'image' || kind === 'album') return <p class="note">{t(`papers.first.${kind}`)}</p>;
  if (kind !== 'plugin') return <KindFields key={kind} draft={draft} />;
  return (
    <Gallery
      chosen={integration}
      choose={({ configUrl, name }) => {
        const isTaken = integration.value === configUrl;
        integration.value = isTaken ? '' : configUrl;
        if (!isTaken && draft.text('title') === '') draft.set('title', name);
      }}
    />
  );
};

const DeviceChoice = ({
  devices,
  fields: { kind, device, isShown },
}: {
  readonly devices: readonly FleetDevice[];
  readonly fields: NewPaperFields;
}) => {
  const chosen = devices.find(({ id }) => id === device.value);
  return (
    <>
      <SearchChoice label={t('papers.forFrame')} value={device} choices={frameChoices(devices)} />
      {chosen?.paper === null && (
        <p class="note">{t(chosen.glass === null ? 'papers.firstIsShown' : 'papers.firstReplaces')}</p>
      )}
      {kind.value === 'plugin' && <p class="note">{t('papers.first.plugin')}</p>}
      {kind.value !== 'plugin' && chosen !== undefined && chosen.paper !== null && (
        <CheckField label={t('papers.showNow', { title: chosen.paper.title ?? '' })} value={isShown} />
      )}
    </>
  );
};
