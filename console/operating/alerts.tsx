/** The present outages, and those who are notified of them: the channels of the organization. */

import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { saidText } from '../ground/said.ts';
import { organizationId } from '../ground/session.ts';
import { clockTime, fullTime, relativeTime } from '../ground/times.ts';
import { useAreaVersion } from '../ground/versions.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { act, say } from '../parts/messages.tsx';
import { ChannelForm } from './channel-form.tsx';
import { channelForms } from './channel-kinds.tsx';
import { placesLine } from './place-choice.tsx';

type ChannelShown = Schemas['AlertChannel'];
type ChannelListShown = AnswerOf<'GET /organizations/{organizationId}/alerts/channels/'>;
type OutageShown = Schemas['Outage'];

const maxPast = 20;

/** Draws the page. */
export const Alerts = () => (
  <>
    <Outages />
    <Channels />
  </>
);

const Outages = () => {
  const organization = organizationId.value;
  const version = useAreaVersion('alerts', organization);
  const read = useResource(
    (signal) =>
      callApi('GET /organizations/{organizationId}/alerts/outages/', {
        path: { organizationId: organization },
        query: { limit: 200 },
        signal,
      }),
    [organization, version],
  );
  const lasting = (read.value ?? []).filter(({ endedAt }) => endedAt === null);
  const past = (read.value ?? []).filter(({ endedAt }) => endedAt !== null).slice(0, maxPast);
  return (
    <Card id="outages" title={t('alerts.outages')} of={read}>
      {read.value !== undefined && lasting.length === 0 && <p>{t('alerts.outagesNone')}</p>}
      <OutageRows outages={lasting} />
      {past.length > 0 && (
        <details>
          <summary>{t('alerts.past')}</summary>
          <OutageRows outages={past} />
        </details>
      )}
    </Card>
  );
};

/** Where the subject of an outage is looked at. */
function placeOf({ kind, subject }: OutageShown): string {
  if (kind === 'rollout-paused') return 'service/firmware';
  if (kind === 'job-paused') return `frames/jobs/${subject}`;
  const isOfPaper = kind === 'picture-failing' || kind === 'callbacks-failing' || kind === 'data-old';
  return isOfPaper ? `papers/${subject}` : `frames/${subject}`;
}

const OutageRows = ({ outages }: { readonly outages: readonly OutageShown[] }) => (
  <ul class="rows">
    {outages.map((outage) => (
      <li key={outage.id} class={outage.endedAt === null ? 'bad' : undefined}>
        <a href={hrefOf(placeOf(outage))}>{outage.name}</a>
        <span>{tCode('outage', outage.kind)}</span>
        <span class="note" title={fullTime(outage.since)}>
          {outage.endedAt === null
            ? t('alerts.lasts', { time: clockTime(outage.since) })
            : t('alerts.over', { from: clockTime(outage.since), until: clockTime(outage.endedAt) })}
        </span>
      </li>
    ))}
  </ul>
);

const Channels = () => {
  const path = { organizationId: organizationId.value };
  const version = useAreaVersion('alerts', path.organizationId);
  const read = useResource<ChannelListShown>(
    (signal) => callApi('GET /organizations/{organizationId}/alerts/channels/', { path, signal }),
    [path.organizationId, version],
  );
  // The id of the channel that is changed; empty for a new one.
  const editing = useSignal<string | undefined>(undefined);
  const channels = read.value?.channels ?? [];
  const edited = channels.find(({ id }) => id === editing.value);
  const done = async (): Promise<void> => {
    editing.value = undefined;
    await read.reload();
  };
  return (
    <Card id="alert-channels" title={t('alerts.channels')} hint={t('alerts.channelsHint')} of={read}>
      {read.value !== undefined && channels.length === 0 && <p>{t('alerts.none')}</p>}
      <ul class="rows">
        {channels.map((channel) => (
          <ChannelItem
            key={channel.id}
            channel={channel}
            reload={read.reload}
            change={() => {
              editing.value = channel.id;
            }}
          />
        ))}
      </ul>
      {read.value !== undefined && editing.value === undefined && (
        <div class="actions">
          <button
            type="button"
            onClick={() => {
              editing.value = '';
            }}
          >
            {t('alerts.add')}
          </button>
        </div>
      )}
      {read.value !== undefined && editing.value !== undefined && (
        <ChannelForm
          key={editing.value}
          channel={edited}
          hasMail={read.value.hasMail}
          done={done}
          cancel={() => {
            editing.value = undefined;
          }}
        />
      )}
    </Card>
  );
};

const ChannelItem = ({
  channel,
  reload,
  change,
}: {
  readonly channel: ChannelShown;
  readonly reload: () => Promise<void>;
  readonly change: () => void;
}) => {
  const { id, name } = channel;
  const path = { organizationId: organizationId.value, channelId: id };
  const isBusy = useSignal(false);
  const test = async (): Promise<void> => {
    isBusy.value = true;
    await act(async () => {
      const { sent, answer, answers } = await callApi(
        'POST /organizations/{organizationId}/alerts/channels/{channelId}/test',
        { path },
      );
      say(saidText(answers, answer), { isProblem: !sent });
    });
    isBusy.value = false;
  };
  const remove = async (): Promise<void> => {
    const asked = { title: t('alerts.removeNamed', { name }), text: t('alerts.removeText'), yes: t('alerts.remove') };
    if (!(await confirmed(asked))) return;
    const call = () => callApi('DELETE /organizations/{organizationId}/alerts/channels/{channelId}', { path });
    if (await act(call, t('alerts.removed', { name }))) await reload();
  };
  return (
    <li>
      <span class="who">
        <strong>{name}</strong> <span class="note">{t(channelForms[channel.kind].name)}</span>
        <br />
        <span class={channel.state === 'failing' ? 'bad' : 'note'}>{stateOf(channel)}</span>
        {channel.places !== null && (
          <>
            <br />
            <span class="note">{t('alerts.onlyIn', { places: placesLine(channel.places) })}</span>
          </>
        )}
      </span>
      <button
        type="button"
        disabled={isBusy.value}
        aria-label={t('alerts.testNamed', { name })}
        onClick={() => void test()}
      >
        {t('alerts.test')}
      </button>
      <button type="button" aria-label={t('alerts.changeNamed', { name })} onClick={change}>
        {t('alerts.change')}
      </button>
      <button type="button" class="danger" aria-label={t('alerts.removeNamed', { name })} onClick={() => void remove()}>
        {t('alerts.remove')}
      </button>
    </li>
  );
};

function stateOf({ state, failingSince, lastError, lastErrors, lastSentAt, waiting }: ChannelShown): string {
  if (state === 'off') return t('alerts.off');
  const waits = waiting === 0 ? [] : [t('alerts.waits', { count: waiting })];
  if (state === 'failing') {
    const why = saidText(lastErrors, lastError ?? '');
    return [t('alerts.failing', { time: clockTime(failingSince ?? 0), why }), ...waits].join(' · ');
  }
  const told = lastSentAt == null ? t('alerts.notYet') : t('alerts.lastSent', { time: relativeTime(lastSentAt) });
  return [told, ...waits].join(' · ');
}
