/** What can be asked of a frame, with what came of it; resetting and removing are asked about first. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { goTo } from '../../ground/router.ts';
import { relativeTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { confirmed } from '../../parts/confirm.tsx';
import { act, say } from '../../parts/messages.tsx';
import { type DeviceRecord, isConnected } from './frame-state.ts';

type AskedShown = AnswerOf<'POST /devices/reboot/{deviceId}'>;
type PingShown = AnswerOf<'GET /devices/ping/{deviceId}'>;

interface ActionsProps {
  readonly row: FleetDevice;
  readonly device: DeviceRecord;
}

const commands = ['reboot', 'identify', 'reset'] as const;
type Command = (typeof commands)[number];
/** What a frame need not hear of: it is done at its next wake. */
const ofEveryFrame: readonly Command[] = ['reset'];

/** Draws the buttons. */
export const FrameActions: ComponentType<ActionsProps> = ({ row }) => {
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
  const command = async (name: Command): Promise<void> => {
    if (name === 'reset' && !(await confirmed(questionOf('reset', row)))) return;
    await during(async () =>
      sayAsked(await callApi(`POST /devices/${name}/{deviceId}`, { path: { deviceId: row.id } })),
    );
  };
  const ping = () =>
    during(async () =>
      sayPing(
        await callApi('GET /devices/ping/{deviceId}', { path: { deviceId: row.id }, query: { dataResponse: 'false' } }),
      ),
    );
  const remove = async (): Promise<void> => {
    if (!(await confirmed(questionOf('remove', row)))) return;
    const isGone = await act(
      () => callApi('DELETE /devices/{deviceId}', { path: { deviceId: row.id } }),
      t('actions.removed', { name: nameOf(row) }),
    );
    if (isGone) goTo('frames');
  };
  return (
    <Card id="actions" title={t('actions.title')}>
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => void ping()}>
          {t('actions.ping')}
        </button>
        {(isConnected(row.serial) ? commands : ofEveryFrame).map((name) => (
          <button key={name} type="button" disabled={isBusy.value} onClick={() => void command(name)}>
            {t(`actions.${name}`)}
          </button>
        ))}
        <button type="button" class="danger" disabled={isBusy.value} onClick={() => void remove()}>
          {t('actions.remove')}
        </button>
      </div>
      <p class="note" role="status">
        {isBusy.value ? t('actions.asking') : answer.value}
      </p>
    </Card>
  );
};

const nameOf = ({ name }: FleetDevice): string => (name === '' ? t('frame.noName') : name);

/** Names what depends on the frame, so that nobody removes more than they mean to. */
function questionOf(act_: 'reset' | 'remove', row: FleetDevice): Parameters<typeof confirmed>[0] {
  const name = nameOf(row);
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

/** Says what an action of another part did, in the same words. */
export const saySaved = (undo?: () => Promise<void>): void =>
  say(t('settings.saved'), undo === undefined ? {} : { undo });
