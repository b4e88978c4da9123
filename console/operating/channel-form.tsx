/** Makes or changes a channel. A secret that was typed is gone from the form once the service has it. */

import { type Signal, useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { organizationId } from '../ground/session.ts';
import { languages, spokenLanguage, type TextKey, t } from '../ground/words.ts';
import { CheckField, ChoiceField } from '../parts/forms/choice-field.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { type ChannelKind, channelForms } from './channel-kinds.tsx';
import { PlaceChoice } from './place-choice.tsx';

type ChannelShown = Schemas['AlertChannel'];

type Outage = NonNullable<ChannelShown['kinds']>[number];

const outageNames: Readonly<Record<Outage, TextKey>> = {
  'frame-silent': 'outage.frame-silent',
  'battery-low': 'outage.battery-low',
  'picture-failing': 'outage.picture-failing',
  'data-old': 'outage.data-old',
  'callbacks-failing': 'outage.callbacks-failing',
  'credentials-ending': 'outage.credentials-ending',
  'rollout-paused': 'outage.rollout-paused',
  'job-paused': 'outage.job-paused',
  'pictures-late': 'outage.pictures-late',
};
const outageKinds = Object.keys(outageNames) as Outage[];
const digestNames: Readonly<Record<ChannelShown['digest'], TextKey>> = {
  immediately: 'alerts.atOnce',
  hourly: 'alerts.hourly',
  daily: 'alerts.daily',
};

interface ChannelFormProps {
  /** Undefined for a new one. */
  readonly channel: ChannelShown | undefined;
  readonly hasMail: boolean;
  readonly done: () => Promise<void>;
  readonly cancel: () => void;
}

function useDraft(channel: ChannelShown | undefined, hasMail: boolean) {
  const zone = channel?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    zone,
    kind: useSignal<ChannelKind>(channel?.kind ?? (hasMail ? 'mail' : 'ntfy')),
    name: useSignal(channel?.name ?? ''),
    isOn: useSignal(channel?.isOn ?? true),
    recipients: useSignal(channel?.recipients?.join('\n') ?? ''),
    url: useSignal(channel?.url ?? ''),
    topic: useSignal(channel?.topic ?? ''),
    secret: useSignal(''),
    kinds: useSignal<readonly Outage[]>(channel?.kinds ?? outageKinds),
    places: useSignal(channel?.places ?? null),
    digest: useSignal<ChannelShown['digest']>(channel?.digest ?? 'immediately'),
    quietFrom: useSignal(channel?.quietHours?.from ?? ''),
    quietUntil: useSignal(channel?.quietHours?.until ?? ''),
    language: useSignal<ChannelShown['language']>(channel?.language ?? spokenLanguage()),
    limit: useSignal(String(channel?.hourlyLimit ?? 12)),
  };
}

type Draft = ReturnType<typeof useDraft>;

/** Returns what is sent of the draft. */
function bodyOf(draft: Draft): Omit<BodyOf<'POST /organizations/{organizationId}/alerts/channels/'>, 'kind'> {
  const { kind, quietFrom, quietUntil, kinds, secret } = draft;
  const isQuiet = quietFrom.value !== '' && quietUntil.value !== '';
  return {
    name: draft.name.value.trim(),
    isOn: draft.isOn.value,
    ...channelForms[kind.value].targetOf(draft),
    ...(secret.value !== '' && { secret: secret.value }),
    kinds: kinds.value.length === outageKinds.length ? null : kinds.value,
    places: draft.places.value,
    digest: draft.digest.value,
    quietHours: isQuiet ? { from: quietFrom.value, until: quietUntil.value } : null,
    timeZone: draft.zone,
    language: draft.language.value,
    hourlyLimit: Number(draft.limit.value),
  };
}

/** Draws the form. */
export const ChannelForm = ({ channel, hasMail, done, cancel }: ChannelFormProps) => {
  const draft = useDraft(channel, hasMail);
  const { TargetFields } = channelForms[draft.kind.value];
  const save = async (): Promise<void> => {
    const name = draft.name.value.trim();
    const path = { organizationId: organizationId.value };
    const isSaved =
      channel === undefined
        ? await act(
            () =>
              callApi('POST /organizations/{organizationId}/alerts/channels/', {
                path,
                body: { kind: draft.kind.value, ...bodyOf(draft) },
              }),
            t('alerts.made', { name }),
          )
        : await act(
            () =>
              callApi('PATCH /organizations/{organizationId}/alerts/channels/{channelId}', {
                path: { ...path, channelId: channel.id },
                body: bodyOf(draft),
              }),
            t('alerts.changed', { name }),
          );
    if (isSaved) await done();
  };
  return (
    <Form class="paper-form" autocomplete="off" submit={save}>
      <h3>{channel === undefined ? t('alerts.new') : t('alerts.changeNamed', { name: channel.name })}</h3>
      {channel === undefined && (
        <ChoiceField
          label={t('alerts.kind')}
          value={draft.kind}
          choices={Object.entries(channelForms)
            .filter(([kind]) => kind !== 'mail' || hasMail)
            .map(([kind, { name }]) => [kind, t(name)])}
        />
      )}
      {channel === undefined && !hasMail && <p class="note">{t('alerts.noMail')}</p>}
      <Field label={t('alerts.name')} value={draft.name} hint={t('alerts.nameHint')} maxLength={100} required />
      <TargetFields draft={draft} hasSecret={channel?.hasSecret === true} />
      <KindChoice kinds={draft.kinds} />
      <PlaceChoice places={draft.places} />
      <TimeFields draft={draft} />
      <ChoiceField label={t('alerts.language')} value={draft.language} choices={Object.entries(languages)} />
      <CheckField label={t('alerts.isOn')} value={draft.isOn} />
      <div class="actions">
        <button type="submit" class="primary">
          {t('alerts.save')}
        </button>
        <button type="button" onClick={cancel}>
          {t('alerts.cancel')}
        </button>
      </div>
    </Form>
  );
};

const KindChoice = ({ kinds }: { readonly kinds: Signal<readonly Outage[]> }) => (
  <fieldset class="field">
    <legend>{t('alerts.kinds')}</legend>
    {outageKinds.map((kind) => (
      <label key={kind} class="check">
        <input
          type="checkbox"
          checked={kinds.value.includes(kind)}
          // One that reports nothing is turned off instead.
          disabled={kinds.value.length === 1 && kinds.value.includes(kind)}
          onChange={(event) => {
            const isWanted = event.currentTarget.checked;
            kinds.value = outageKinds.filter((one) => (one === kind ? isWanted : kinds.peek().includes(one)));
          }}
        />
        <span>{t(outageNames[kind])}</span>
      </label>
    ))}
  </fieldset>
);

const TimeFields = ({ draft }: { readonly draft: Draft }) => (
  <>
    <ChoiceField
      label={t('alerts.digest')}
      value={draft.digest}
      choices={Object.entries(digestNames).map(([digest, key]) => [digest, t(key)])}
    />
    <div class="entry">
      <Field label={t('alerts.quietFrom')} type="time" value={draft.quietFrom} />
      <Field label={t('alerts.quietUntil')} type="time" value={draft.quietUntil} />
    </div>
    <p class="note">{t('alerts.quietHint', { zone: draft.zone })}</p>
    <Field label={t('alerts.limit')} type="number" value={draft.limit} hint={t('alerts.limitHint')} required />
  </>
);
