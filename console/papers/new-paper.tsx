/** A new paper: first what it shows, from pictures of it, then everything that this needs, its name, and its frame. */
import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type FleetDevice, fleet, fleetState, loadFleet } from '../ground/fleet.ts';
import { isDraftable, type OfferedKind, offeredKinds, traitsOf } from '../ground/paper-kinds.ts';
import { hrefOf, query } from '../ground/router.ts';
import { mayWrite, organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
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
import { ChosenRecipe } from './kinds/recipe-fields.tsx';
import { KindFields } from './kinds/settings-form.tsx';
import { firstMarkup, TemplateFields } from './kinds/template-fields.tsx';
import { likelyFrame, rememberFrame } from './last-frame.ts';
import { isComplete, makePaper, type NewPaperChoice, suggestedName, takesPictures } from './make-paper.ts';
import { ChosenOffer } from './offers/chosen-offer.tsx';
import { OfferGallery } from './offers/offer-gallery.tsx';
import { ownTemplate } from './offers/offers.ts';
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

/** The offer that was chosen: it is part of the address, so that a reload and the back button keep it. */
interface Chosen {
  readonly kind: OfferedKind;
  /** The id of a recipe, the mark of a template, or empty. */
  readonly recipe: string;
}

function chosenIn(asked: URLSearchParams): Chosen | undefined {
  const kind = offeredKinds.find((one) => one === asked.get('kind'));
  return kind && { kind, recipe: kind === 'recipe' ? (asked.get('recipe') ?? '') : '' };
}

/** The gallery, the form of what was chosen there, or why there is none. */
const FormOrReason = () => {
  const drafts = useMemo(() => new Map<string, PaperDraft>(), []);
  const chosen = chosenIn(query.value);
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
  if (chosen === undefined) return <OfferGallery />;
  return <NewPaperForm key={keyOf(chosen)} draft={draftOf(drafts, chosen)} chosen={chosen} />;
};

interface NewPaperFields {
  readonly device: Signal<string>;
  readonly isShown: Signal<boolean>;
  /** The address of an integration of the gallery, empty for none. */
  readonly integration: Signal<string>;
}

const keyOf = ({ kind, recipe }: Chosen): string => `${kind} ${recipe}`;

/** Returns the draft of what was chosen: what was typed stays while something else is looked at. */
function draftOf(drafts: Map<string, PaperDraft>, chosen: Chosen): PaperDraft {
  const { kind, recipe } = chosen;
  const known = drafts.get(keyOf(chosen));
  if (known !== undefined) return known;
  const draft = newPaperDraft(kind, organizationId.peek());
  if (recipe === ownTemplate) draft.set('template', { markup: firstMarkup });
  else if (recipe !== '') draft.set('recipe', recipe);
  drafts.set(keyOf(chosen), draft);
  return draft;
}

const NewPaperForm = ({ draft, chosen }: { readonly draft: PaperDraft; readonly chosen: Chosen }) => {
  const devices = [...fleet.value.values()].sort((a, b) => byNature(a.name, b.name));
  const fields: NewPaperFields = {
    device: useSignal(query.peek().get('frame') ?? likelyFrame(devices)),
    isShown: useSignal(true),
    integration: useSignal(query.peek().get('integration') ?? ''),
  };
  const { kind } = chosen;
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
          <FirstFields draft={draft} chosen={chosen} integration={fields.integration} />
          <Field
            label={t('papers.name')}
            value={draft.typed(nameField(kind))}
            maxLength={80}
            placeholder={suggestedName(draft)}
          />
          <DeviceChoice devices={devices} kind={kind} fields={fields} />
          {!isSeenBefore && <FormActions wish={wish} />}
        </div>
        {isSeenBefore && (
          <Card id="draft-preview" title={t('preview.title')} class="stays">
            <div class="paper-picture">
              <DraftPreview draft={draft} deviceId={fields.device.value} isWanted={isComplete(wish)} />
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

/** Draws what was chosen, and the fields that it requires. */
const FirstFields = ({
  draft,
  chosen,
  integration,
}: {
  readonly draft: PaperDraft;
  readonly chosen: Chosen;
  readonly integration: Signal<string>;
}) => {
  const { kind, recipe } = chosen;
  if (recipe !== '' && recipe !== ownTemplate) return <ChosenRecipe draft={draft} id={recipe} />;
  return (
    <>
      {recipe === ownTemplate ? (
        <ChosenOffer name={t('template.begin')} icon="braces" />
      ) : (
        <ChosenOffer name={t(`papers.kind.${kind}`)} icon={traitsOf(kind).icon} />
      )}
      {recipe === ownTemplate ? (
        <TemplateFields draft={draft} />
      ) : (
        <KindStart draft={draft} integration={integration} />
      )}
    </>
  );
};

const KindStart = ({ draft, integration }: { readonly draft: PaperDraft; readonly integration: Signal<string> }) => {
  const { kind } = draft.base.value;
  if (kind === 'image' || kind === 'album') return <p class="note">{t(`papers.first.${kind}`)}</p>;
  if (kind !== 'plugin') return <KindFields draft={draft} />;
  const nameDraft = (name: string): void => {
    if (draft.text('title') === '') draft.set('title', name);
  };
  return (
    <Gallery
      chosen={integration}
      choose={({ configUrl, name }) => {
        const isTaken = integration.value === configUrl;
        integration.value = isTaken ? '' : configUrl;
        if (!isTaken) nameDraft(name);
      }}
      found={({ name }) => nameDraft(name)}
    />
  );
};

const DeviceChoice = ({
  devices,
  kind,
  fields: { device, isShown },
}: {
  readonly devices: readonly FleetDevice[];
  readonly kind: OfferedKind;
  readonly fields: NewPaperFields;
}) => {
  const chosen = devices.find(({ id }) => id === device.value);
  return (
    <>
      <SearchChoice label={t('papers.forFrame')} value={device} choices={frameChoices(devices)} />
      {chosen?.paper === null && (
        <p class="note">{t(chosen.glass === null ? 'papers.firstIsShown' : 'papers.firstReplaces')}</p>
      )}
      {kind === 'plugin' && <p class="note">{t('papers.first.plugin')}</p>}
      {kind !== 'plugin' && chosen !== undefined && chosen.paper !== null && (
        <CheckField label={t('papers.showNow', { title: chosen.paper.title ?? '' })} value={isShown} />
      )}
    </>
  );
};
