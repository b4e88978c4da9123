/** The requests to a frame, with the outcome of each; resetting and removing ask for confirmation first. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { goTo } from '../../ground/router.ts';
import { relativeTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { nameOfFrame } from '../../parts/frame-card.tsx';
import { act, say } from '../../parts/messages.tsx';
import { Danger, Dangers } from './dangers.tsx';
import { isConnected } from './frame-state.ts';

type AskedShown = AnswerOf<'POST /devices/reboot/{deviceId}'>;
type PingShown = AnswerOf<'GET /devices/ping/{deviceId}'>;

const commands = ['reboot', 'identify'] as const;

interface Asking {
  /** Runs a request, and keeps its outcome for display. */
  readonly during: (run: () => Promise<string>) => Promise<void>;
  readonly isBusy: boolean;
  readonly answer: string;
}

/** Asks the frame something, once at a time, and keeps its answer. */
function useAsking(): Asking {
  const answer = useSignal('');
  const isBusy = useSignal(false);
  const during = async (run: () => Promise<string>): Promise<void> => {
    isBusy.value = true;
    answer.value = '';
    await act(async () => {
      answer.value = await run();
    });
    isBusy.value = false;
  };
  return { during, isBusy: isBusy.value, answer: answer.value };
}

const Answer = ({ isBusy, answer }: Pick<Asking, 'isBusy' | 'answer'>) => (
  <p class="note" role="status">
    {isBusy ? t('actions.asking') : answer}
  </p>
);

/** Draws the harmless requests to a frame: a ping, and the commands for a frame that takes them. */
export const AskFrame = ({ row }: { readonly row: FleetDevice }) => {
  const { during, ...asking } = useAsking();
  const path = { deviceId: row.id };
  const ping = () =>
    during(async () =>
      sayPing(await callApi('GET /devices/ping/{deviceId}', { path, query: { dataResponse: 'false' } })),
    );
  const command = (name: (typeof commands)[number]) =>
    during(async () => sayAsked(await callApi(`POST /devices/${name}/{deviceId}`, { path })));
  return (
    <Card id="actions" title={t('actions.title')}>
      <div class="actions">
        <button type="button" disabled={asking.isBusy} onClick={() => void ping()}>
          {t('actions.ping')}
        </button>
        {isConnected(row.serial) &&
          commands.map((name) => (
            <button key={name} type="button" disabled={asking.isBusy} onClick={() => void command(name)}>
              {t(`actions.${name}`)}
            </button>
          ))}
      </div>
      <Answer {...asking} />
    </Card>
  );
};

/**
 * Draws the actions that take something away: the frame's settings, or the frame itself. Both ask for confirmation
 * first.
 */
export const FrameDangers = ({ row }: { readonly row: FleetDevice }) => {
  const { during, ...asking } = useAsking();
  const path = { deviceId: row.id };
  const reset = async (): Promise<void> => {
    if (!(await confirmed(questionOf('reset', row)))) return;
    await during(async () => sayAsked(await callApi('POST /devices/reset/{deviceId}', { path })));
  };
  const remove = async (): Promise<void> => {
    if (!(await confirmed(questionOf('remove', row)))) return;
    const isGone = await act(
      () => callApi('DELETE /devices/{deviceId}', { path }),
      t('actions.removed', { name: nameOfFrame(row) }),
    );
    if (isGone) goTo('frames');
  };
  return (
    <Dangers>
      <Danger text={t('actions.resetText')} label={t('actions.reset')} isBusy={asking.isBusy} act={reset} />
      <Answer {...asking} />
      <Danger text={t('actions.removeText')} label={t('actions.remove')} isBusy={asking.isBusy} act={remove} />
    </Dangers>
  );
};

/** Names what depends on the frame, so that nobody removes more than they mean to. */
function questionOf(act_: 'reset' | 'remove', row: FleetDevice): Parameters<typeof confirmed>[0] {
  const name = nameOfFrame(row);
  if (act_ === 'reset')
    return { title: t('actions.resetTitle', { name }), text: t('actions.resetText'), yes: t('actions.reset') };
  const parts = [
    t('actions.removeText'),
    row.paper !== null && t('actions.removePaper', { title: row.paper.title ?? row.paper.kind }),
    row.patient !== null && t('actions.removePatient'),
    row.serial !== null && t('actions.removeSerial', { serial: row.serial }),
  ];
  return { title: t('actions.removeTitle', { name }), text: parts.filter(Boolean).join(' '), yes: t('actions.remove') };
}

function sayAsked({ state, expectedAt, message }: AskedShown): string {
  if (state === 'refused') return t('actions.refused', { message });
  const done = tCode('asked', state);
  return state === 'queued' && expectedAt !== null
    ? `${done} ${t('actions.expected', { when: relativeTime(expectedAt) })}`
    : done;
}

function sayPing({ state, roundTripMs, lastReachableAt, expectedWakeAt }: PingShown): string {
  const parts = [
    roundTripMs === undefined ? tCode('pinged', state) : t('actions.roundTrip', { ms: Math.round(roundTripMs) }),
    lastReachableAt !== null && state !== 'awake' && t('actions.lastSeen', { when: relativeTime(lastReachableAt) }),
    expectedWakeAt !== null && state === 'sleeping' && t('actions.expected', { when: relativeTime(expectedWakeAt) }),
  ];
  return parts.filter(Boolean).join(' ');
}

/** Reports the outcome of another part's action, in the same words. */
export const saySaved = (undo?: () => Promise<void>): void =>
  say(t('settings.saved'), undo === undefined ? {} : { undo });
