/** A new paper: what it shows, what it is called, and for which frame it is made. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { type FleetDevice, fleet, fleetState, loadFleet, rereadDevice } from '../ground/fleet.ts';
import { asPaper, putPaper } from '../ground/paper-book.ts';
import { type OfferedKind, offeredKinds } from '../ground/paper-kinds.ts';
import { goTo, hrefOf, query } from '../ground/router.ts';
import { mayWrite, organizationId } from '../ground/session.ts';
import { language, t } from '../ground/words.ts';
import { CheckField } from '../parts/choice-field.tsx';
import { Field, Form } from '../parts/field.tsx';
import { frameChoices } from '../parts/frame-choices.ts';
import { act } from '../parts/messages.tsx';
import { byNature } from '../parts/natural-order.ts';
import { SearchChoice } from '../parts/search-choice.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { Gallery } from './gallery.tsx';
import { nameField } from './meta-fields.tsx';

/** The one thing that a kind cannot do without, which is asked for at once. */
const firstField: Partial<Record<OfferedKind, 'text' | 'url'>> = { text: 'text', website: 'url' };

/** The page of a new paper. */
export const NewPaper: ComponentType = () => {
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
const FormOrReason: ComponentType = () => {
  const { isLoaded, problem } = fleetState.value;
  if (!mayWrite.value) return <EmptyState title={t('papers.mayNot')} />;
  if (problem !== undefined && !isLoaded) return <ProblemBox problem={problem} again={() => void loadFleet()} />;
  if (!isLoaded) return <Loading />;
  if (fleet.value.size === 0)
    return (
      <EmptyState title={t('papers.noFrame')}>
        <p>{t('papers.noFrameHint')}</p>
        <a class="button primary" href={hrefOf('frames/add')}>
          {t('frames.add')}
        </a>
      </EmptyState>
    );
  return <NewPaperForm />;
};

interface NewPaperFields {
  readonly kind: Signal<OfferedKind>;
  readonly name: Signal<string>;
  readonly first: Signal<string>;
  readonly device: Signal<string>;
  readonly isShown: Signal<boolean>;
  /** The address of an integration of the gallery, empty for none. */
  readonly integration: Signal<string>;
}

const NewPaperForm: ComponentType = () => {
  const devices = [...fleet.value.values()].sort((a, b) => byNature(a.name, b.name));
  const fields: NewPaperFields = {
    kind: useSignal<OfferedKind>('image'),
    name: useSignal(''),
    first: useSignal(''),
    device: useSignal(query.peek().get('frame') ?? devices[0]?.id ?? ''),
    isShown: useSignal(true),
    integration: useSignal(''),
  };
  const first = firstField[fields.kind.value];
  const isComplete = fields.name.value.trim() !== '' && (first === undefined || fields.first.value.trim() !== '');
  return (
    <Form class="card paper-form" submit={() => create(fields)}>
      <KindChoice kind={fields.kind} />
      {fields.kind.value === 'plugin' && (
        <Gallery
          chosen={fields.integration}
          choose={({ configUrl, name }) => {
            const isTaken = fields.integration.value === configUrl;
            fields.integration.value = isTaken ? '' : configUrl;
            if (!isTaken && fields.name.value.trim() === '') fields.name.value = name;
          }}
        />
      )}
      <Field label={t('papers.name')} value={fields.name} maxLength={200} required />
      {first === 'text' && <Field label={t('papers.text')} value={fields.first} rows={5} required />}
      {first === 'url' && (
        <Field label={t('papers.address')} type="url" value={fields.first} hint={t('papers.addressHint')} required />
      )}
      <DeviceChoice devices={devices} fields={fields} />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isComplete}>
          {t('papers.create')}
        </button>
        <a class="button" href={hrefOf('papers')}>
          {t('state.cancel')}
        </a>
      </div>
    </Form>
  );
};

const KindChoice: ComponentType<{ readonly kind: Signal<OfferedKind> }> = ({ kind }) => (
  <fieldset class="kinds">
    <legend>{t('papers.whatKind')}</legend>
    {offeredKinds.map((name) => (
      <label key={name} class="kind">
        <input
          type="radio"
          name="kind"
          checked={kind.value === name}
          onChange={() => {
            kind.value = name;
          }}
        />
        <span>
          <strong>{t(`papers.kind.${name}`)}</strong>
          <span class="note">{t(`papers.kindHint.${name}`)}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

const DeviceChoice: ComponentType<{ readonly devices: readonly FleetDevice[]; readonly fields: NewPaperFields }> = ({
  devices,
  fields: { device, isShown },
}) => {
  const chosen = devices.find(({ id }) => id === device.value);
  return (
    <>
      <SearchChoice label={t('papers.forFrame')} value={device} choices={frameChoices(devices)} />
      {chosen?.paper === null ? (
        <p class="note">{t(chosen.glass === null ? 'papers.firstIsShown' : 'papers.firstReplaces')}</p>
      ) : (
        <CheckField label={t('papers.showNow', { title: chosen?.paper?.title ?? '' })} value={isShown} />
      )}
    </>
  );
};

/** Makes the paper and leads to it. A person's language and zone are those of their browser until they say otherwise. */
async function create({ kind, name, first, device, isShown, integration }: NewPaperFields): Promise<void> {
  const field = firstField[kind.value];
  const meta = {
    [nameField(kind.value)]: name.value.trim(),
    language: navigator.language || language.value,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(field !== undefined && { [field]: first.value.trim() }),
  };
  const body: BodyOf<'POST /papers/'> = {
    organization: organizationId.value,
    deviceId: device.value,
    kind: kind.value,
    meta,
  };
  const before = fleet.peek().get(device.value)?.paper ?? null;
  await act(
    async () => {
      const paper = asPaper(await callApi('POST /papers/', { body }));
      putPaper(paper.id, paper);
      const chosen = kind.value === 'plugin' ? integration.value : '';
      goTo(`papers/${paper.id}${chosen === '' ? '' : `?integration=${encodeURIComponent(chosen)}`}`);
      if (before !== null && isShown.value)
        await callApi('POST /devices/{deviceId}', { path: { deviceId: device.value }, body: { paper: paper.id } });
      await rereadDevice(device.value);
    },
    t('papers.created', { title: name.value.trim() }),
  );
}
