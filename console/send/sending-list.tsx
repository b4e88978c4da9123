/** What was sent, and how far it is on each frame, up to the proof on the glass. */
import type { ComponentType } from 'preact';
import { type FleetDevice, fleet } from '../ground/fleet.ts';
import { hrefOf } from '../ground/router.ts';
import { clockTime, now } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { PictureRemark } from '../parts/drafts/picture-remark.tsx';
import { expected } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { problemText } from '../parts/states.tsx';
import { forgetSending, isShown, type Sending, sendings } from './send-drafts.ts';

/** Draws the list; nothing while nothing was sent. */
export const SendingList: ComponentType = () => {
  if (sendings.value.length === 0) return null;
  return (
    <Card id="sendings" title={t('send.sent')} class="sendings">
      <ul aria-live="polite">
        {sendings.value.map((sending) => (
          <li key={sending.id}>
            {sending.view === '' ? <span class="thumb" /> : <img class="thumb" src={sending.view} alt="" />}
            <div>
              <p class="name">{t('send.to', { picture: sending.name, target: sending.target.name })}</p>
              <SendingState sending={sending} />
              <PictureRemark told={sending.told} />
            </div>
            <button
              type="button"
              class="plain"
              aria-label={t('send.forget', { picture: sending.name })}
              onClick={() => forgetSending(sending.id)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
};

const SendingState: ComponentType<{ readonly sending: Sending }> = ({ sending }) => {
  const { state, problem, target } = sending;
  if (state === 'sending') return <p class="line">{t('send.uploading')}</p>;
  if (state === 'failed') return <p class="line bad">{problem === undefined ? '' : problemText(problem)}</p>;
  if (state === 'waits') return <p class="line">{t('timed.kept')}</p>;
  if (target.frames.length === 0) return <p class="line">{t('send.stored')}</p>;
  return (
    <>
      {target.frames.map((id) => {
        const device = fleet.value.get(id);
        const shown = device !== undefined && isShown(sending, device, now.value);
        const done = shown && device.glass?.level === 'confirmed';
        return (
          <p key={id} class={done ? 'line done' : 'line'}>
            {done && <Icon name="check" />}
            <a href={hrefOf(`frames/${id}`)}>{device?.name ?? target.name}</a>
            <span>{device === undefined ? t('send.frameGone') : progressLine(device, shown)}</span>
          </p>
        );
      })}
    </>
  );
};

/** One line: how far the picture is, and when the frame is expected. */
function progressLine({ glass, due, why, nextWakeAt, connected, trouble }: FleetDevice, isReported: boolean): string {
  if (isReported && glass !== null) {
    if (glass.level === 'confirmed') return t('frame.onGlass', { time: clockTime(glass.since) });
    return `${tCode('level', glass.level)}.`;
  }
  const state = due === null ? t('send.preparing') : `${tCode('due', due.state)}.`;
  const at = why?.expectedAt ?? nextWakeAt;
  const when = connected || at === null || at === undefined ? '' : expected(at);
  return [state, when, trouble === null ? '' : tCode('trouble', trouble.code)].filter((part) => part !== '').join(' ');
}
