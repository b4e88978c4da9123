/** What was sent, and when it is on the wall: with a way back for a while, and the frame's road behind it. */
import type { ComponentType } from 'preact';
import { type FleetDevice, fleet } from '../ground/fleet.ts';
import { hrefOf } from '../ground/router.ts';
import { clockTime, now } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { PictureRemark } from '../parts/drafts/picture-remark.tsx';
import { UploadProgress } from '../parts/drafts/upload-progress.tsx';
import { expectedOnWall, onWall } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { act, say } from '../parts/messages.tsx';
import { problemText } from '../parts/states.tsx';
import { cancelSending } from './send-queue.ts';
import { forgetSending, isShown, type Sending, sendings } from './sendings.ts';
import { undoMs, undoneWith, undoSendings } from './undo.ts';

/** Draws the list; nothing while nothing was sent. */
export const SendingList: ComponentType = () => {
  if (sendings.value.length === 0) return null;
  return (
    <Card id="sendings" title={t('send.sent')} class="sendings">
      <ul aria-live="polite">
        {sendings.value.map((sending) => (
          <SendingRow key={sending.id} sending={sending} />
        ))}
      </ul>
    </Card>
  );
};

const SendingRow: ComponentType<{ readonly sending: Sending }> = ({ sending }) => {
  const { id, name, view, state, target, told, undo, at } = sending;
  const isPending = state === 'queued' || state === 'sending' || state === 'offline';
  const canUndo = undo !== undefined && now.value - at < undoMs;
  const takeBack = (): Promise<boolean> => act(async () => say(await undoSendings(undoneWith(sending))));
  return (
    <li class={state === 'undone' ? 'undone' : undefined}>
      {view === '' ? <span class="thumb" /> : <img class="thumb" src={view} alt="" />}
      <div>
        <p class="name">{t('send.to', { picture: name, target: target.name || t('frame.noName') })}</p>
        <SendingState sending={sending} />
        <PictureRemark told={told} />
        {isPending && (
          <button
            type="button"
            class="plain"
            aria-label={t('send.cancelOf', { picture: name })}
            onClick={() => cancelSending(id)}
          >
            {t('state.cancel')}
          </button>
        )}
        {canUndo && (
          <button
            type="button"
            class="plain"
            aria-label={t('send.undoOf', { picture: name })}
            onClick={() => void takeBack()}
          >
            {t('state.undo')}
          </button>
        )}
      </div>
      {!isPending && (
        <button
          type="button"
          class="plain"
          aria-label={t('send.forget', { picture: name })}
          onClick={() => forgetSending(id)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
};

const SendingState: ComponentType<{ readonly sending: Sending }> = ({ sending }) => {
  const { state, problem, target, progress } = sending;
  if (state === 'queued') return <p class="line">{t('send.queued')}</p>;
  if (state === 'sending') return <UploadProgress progress={progress} name={sending.name} />;
  if (state === 'offline') return <p class="line warned">{t('send.offline')}</p>;
  if (state === 'failed') return <p class="line bad">{problem === undefined ? '' : problemText(problem)}</p>;
  if (state === 'undone') return <p class="line">{t('state.undone')}</p>;
  if (state === 'timed') return <p class="line">{t('timed.kept')}</p>;
  if (sending.isLater) return <p class="line">{t('send.later')}</p>;
  if (target.frames.length === 0) return <p class="line">{t('send.stored')}</p>;
  return (
    <>
      {target.frames.map((id) => (
        <OnFrame key={id} sending={sending} device={fleet.value.get(id)} id={id} />
      ))}
    </>
  );
};

interface OnFrameProps {
  readonly sending: Sending;
  readonly device: FleetDevice | undefined;
  readonly id: string;
}

const OnFrame: ComponentType<OnFrameProps> = ({ sending, device, id }) => {
  if (device === undefined) return <p class="line">{t('send.frameGone')}</p>;
  const isThere = isShown(sending, device, now.value);
  const isProven = isThere && device.glass?.level === 'confirmed';
  const missed = isThere ? undefined : missedLine(device);
  return (
    <>
      <p class={isProven ? 'line done' : 'line'}>
        {sending.target.frames.length > 1 && <a href={hrefOf(`frames/${id}`)}>{device.name || t('frame.noName')}</a>}
        <span>{progressLine(device, isThere)}</span>
        {isProven && <Icon name="check" />}
      </p>
      {missed !== undefined && <p class="note">{missed}</p>}
      {!isProven && <Road device={device} />}
    </>
  );
};

/** One line: when the picture is on the wall, or since when it is. */
function progressLine(device: FleetDevice, isThere: boolean): string {
  if (isThere && device.glass !== null) return onWall(device.glass).line;
  return expectedOnWall(device) ?? t('send.preparing');
}

/** A frame is said to be missed a tenth of its sleep after its wake, or a minute: so it is on its page. */
const graceOf = (sleepMs: number): number => Math.max(60_000, sleepMs / 10);

/** What happens if it does not come; undefined where no wake is foreseen, or it is late by now. */
function missedLine({ due, nextWakeAt, lastSeenAt, awake }: FleetDevice): string | undefined {
  if (due === null || nextWakeAt === null || lastSeenAt === null || awake) return undefined;
  const wake = new Date(nextWakeAt).getTime();
  const until = wake + graceOf(wake - new Date(lastSeenAt).getTime());
  return until < now.value ? t('send.missed') : t('send.ifMissed', { time: clockTime(until) });
}

/** How far it is, for whoever wants to know. */
const Road: ComponentType<{ readonly device: FleetDevice }> = ({ device: { id, due } }) =>
  due === null ? null : (
    <details class="road-details">
      <summary>{t('send.details')}</summary>
      <p class="note">
        {tCode('due', due.state)}. <a href={hrefOf(`frames/${id}`)}>{t('send.toFrame')}</a>
      </p>
    </details>
  );
