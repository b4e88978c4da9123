/** The pictures that were sent, and when each is on the wall: with a way back for a while, and the frame's road behind it. */
import { type FleetDevice, fleet } from '../ground/fleet.ts';
import { hrefOf } from '../ground/router.ts';
import { clockTime, now } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { isOpen } from '../parts/drafts/outbox.ts';
import { PictureRemark } from '../parts/drafts/picture-remark.tsx';
import { UploadProgress } from '../parts/drafts/upload-progress.tsx';
import { expectedOnWall, onWall } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { act, say } from '../parts/messages.tsx';
import { problemText } from '../parts/states.tsx';
import { forgetSending, isStalled, problemOfKept, progressOf, type Sending, sendings, undoMs } from './sendings.ts';
import { evidenceOf, type SentEvidence, useSentEvidence } from './sent-evidence.ts';
import { cancelSending, sendAgain } from './start-sending.ts';
import { undoneWith, undoSendings } from './undo.ts';

/** Draws the list; nothing while nothing was sent. */
export const SendingList = () => {
  useSentEvidence();
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

const SendingRow = ({ sending }: { readonly sending: Sending }) => {
  const { id, name, caption, view, state, target, told, undo, at } = sending;
  const isPending = isOpen(sending);
  const canUndo = !isPending && undo !== undefined && now.value - at < undoMs;
  const takeBack = (): Promise<boolean> => act(async () => say(await undoSendings(undoneWith(sending))));
  const place = target.name || t('frame.noName');
  return (
    <li class={state === 'undone' ? 'undone' : undefined}>
      {view === '' ? (
        <span class="thumb" />
      ) : (
        <img class="thumb" src={view} alt={t('send.to', { picture: name, target: place })} title={name} />
      )}
      <div>
        <p class="name" dir="auto">
          {place}
        </p>
        {caption !== '' && (
          <p class="note" dir="auto">
            {caption}
          </p>
        )}
        <SendingState sending={sending} />
        <PictureRemark told={told} />
        {state === 'stopped' && (
          <button
            type="button"
            aria-label={t('send.againOf', { picture: name })}
            onClick={() => void act(() => sendAgain(sending))}
          >
            {t('state.again')}
          </button>
        )}
        {isPending && (
          <button
            type="button"
            class="plain"
            aria-label={t('send.cancelOf', { picture: name })}
            onClick={() => void act(() => cancelSending(sending))}
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
          onClick={() => void forgetSending(id)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
};

const SendingState = ({ sending }: { readonly sending: Sending }) => {
  const { state, problem, target } = sending;
  if (state === 'queued') {
    return isStalled.value ? <p class="line warned">{t('send.offline')}</p> : <p class="line">{t('send.queued')}</p>;
  }
  if (state === 'sending') {
    const progress = progressOf.value?.id === sending.id ? progressOf.value : undefined;
    return <UploadProgress progress={progress} name={sending.name} />;
  }
  if (state === 'refused') return <Failed problem={problem} />;
  if (state === 'stopped') {
    return (
      <>
        <p class="line bad">{t('send.stopped')}</p>
        <Failed problem={problem} />
      </>
    );
  }
  if (state === 'undone') return <p class="line">{t('state.undone')}</p>;
  if (state === 'timed') return <p class="line">{t('timed.kept')}</p>;
  if (state === 'arrived') return <p class="line">{t('sent.accepted')}</p>;
  if (target.frames.length === 0) return <p class="line">{t('send.stored')}</p>;
  return (
    <>
      {target.frames.map((id) => (
        <OnFrame key={id} sending={sending} device={fleet.value.get(id)} id={id} />
      ))}
    </>
  );
};

const Failed = ({ problem }: Pick<Sending, 'problem'>) =>
  problem === undefined ? null : <p class="line bad">{problemText(problemOfKept(problem))}</p>;

const OnFrame = ({
  sending,
  device,
  id,
}: {
  readonly sending: Sending;
  readonly device: FleetDevice | undefined;
  readonly id: string;
}) => {
  if (device === undefined) return <p class="line">{t('send.frameGone')}</p>;
  const evidence = evidenceOf(sending, id);
  const isProven = evidence?.state === 'on-glass' && evidence.level === 'confirmed';
  const isAhead = evidence === undefined || evidence.state === 'on-its-way';
  const missed = isAhead ? missedLine(device) : undefined;
  return (
    <>
      <p class={isProven ? 'line done' : 'line'}>
        {sending.target.frames.length > 1 && <a href={hrefOf(`frames/${id}`)}>{device.name || t('frame.noName')}</a>}
        <span>{stateLine(sending, evidence, device)}</span>
        {isProven && <Icon name="check" />}
      </p>
      {missed !== undefined && <p class="note">{missed}</p>}
      {isAhead && <Road device={device} />}
    </>
  );
};

/** One line: when the picture is on the wall, since when it is, or from when to when it was. */
function stateLine({ undo }: Sending, evidence: SentEvidence | undefined, device: FleetDevice): string {
  if (evidence === undefined) return t('send.preparing');
  const { state, since, until, level, grade } = evidence;
  if (state === 'on-glass' && since !== null && level !== null && grade !== null) {
    return onWall({ since, level, grade }).line;
  }
  if (state === 'was-on-glass' && since !== null) {
    if (until === null) return t('sent.was-on-glass', { time: clockTime(since) });
    const times = { from: clockTime(since), until: clockTime(until) };
    return t(level === 'confirmed' ? 'send.was' : 'send.wasLikely', times);
  }
  if (state === 'replaced') return t('sent.replaced');
  const takesTurns = undo?.kind === 'album' || undo?.kind === 'slideshow';
  if (state === 'accepted' && takesTurns) return t('send.later');
  return expectedOnWall(device) ?? t('send.preparing');
}

/**
 * Returns how late a frame may be before it counts as missed: a tenth of its sleep, at least a minute, as on its page.
 */
const graceOf = (sleepMs: number): number => Math.max(60_000, sleepMs / 10);

/** Returns a line about what happens if the picture does not come; undefined where no wake is foreseen. */
function missedLine({ due, nextWakeAt, lastSeenAt, awake }: FleetDevice): string | undefined {
  if (due === null || nextWakeAt === null || lastSeenAt === null || awake) return undefined;
  const wake = new Date(nextWakeAt).getTime();
  const sleep = wake - new Date(lastSeenAt).getTime();
  if (wake + graceOf(sleep) < now.value) return t('send.missed');
  // The expected time is rounded up, the more the longer it sleeps: this one is after it.
  const until = wake + 60_000 + Math.max(60_000, sleep / 4);
  return t('send.ifMissed', { time: clockTime(until) });
}

/** How far it is, for anyone who wants to know. */
const Road = ({ device: { id, due } }: { readonly device: FleetDevice }) =>
  due === null ? null : (
    <details class="road-details">
      <summary>{t('send.details')}</summary>
      <p class="note">
        {tCode('due', due.state)}. <a href={hrefOf(`frames/${id}`)}>{t('send.toFrame')}</a>
      </p>
    </details>
  );
