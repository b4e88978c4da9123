/** One rollout: its progress, each of its frames, and stopping it. */

import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { saidText } from '../ground/said.ts';
import { mayManage, organizationId } from '../ground/session.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { act } from '../parts/messages.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';

type RolloutFramesShown = AnswerOf<'GET /organizations/{organizationId}/firmware/rollouts/{rolloutId}'>;
type RolloutShown = Schemas['Rollout'];

const pathOf = ({ id }: RolloutShown) => ({ organizationId: organizationId.peek(), rolloutId: id });

type Way = 'pause' | 'resume';
const steerTo = (rollout: RolloutShown, way: Way) =>
  callApi(`POST /organizations/{organizationId}/firmware/rollouts/{rolloutId}/${way}`, { path: pathOf(rollout) });

/** Draws a row. */
export const RolloutRow = ({
  rollout,
  moved,
}: {
  readonly rollout: RolloutShown;
  readonly moved: () => Promise<void>;
}) => {
  const { version, kind, isOwn, state, reason, reasons, target, updated, lost, createdAt } = rollout;
  const isLive = state === 'running' || state === 'paused';
  const steer = async (way: Way): Promise<void> => {
    const undo = async (): Promise<void> => {
      await steerTo(rollout, way === 'pause' ? 'resume' : 'pause');
      await moved();
    };
    const said = t(way === 'pause' ? 'rollout.paused' : 'rollout.resumed', { version });
    if (await act(() => steerTo(rollout, way), said, undo)) await moved();
  };
  return (
    <li class={state === 'paused' ? 'meagre' : ''}>
      <span>
        <strong>
          {version} ({kind})
        </strong>{' '}
        {tCode('rolloutState', state)}
        {reason !== null && `: ${saidText(reasons, reason)}`}
      </span>
      <span>
        {target === null
          ? t('rollout.updated', { updated })
          : t('rollout.progress', { updated, target: Math.max(target, updated) })}
        {lost > 0 && ` ${t('rollout.lost', { count: lost })}`}
      </span>
      {target !== null && (
        <progress max={Math.max(1, target)} value={updated} aria-label={t('rollout.bar', { version })} />
      )}
      <span class="note">
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {t('rollout.since', { when: clockTime(createdAt) })}
        </time>
        {!isOwn && ` · ${t('rollout.operators')}`}
      </span>
      {isOwn && isLive && mayManage.value && (
        <button
          type="button"
          aria-label={t(state === 'running' ? 'rollout.stopThis' : 'rollout.resumeThis', { version })}
          onClick={() => void steer(state === 'running' ? 'pause' : 'resume')}
        >
          {t(state === 'running' ? 'rollout.stop' : 'rollout.resume')}
        </button>
      )}
      <FramesOfRollout rollout={rollout} />
    </li>
  );
};

const FramesOfRollout = ({ rollout }: { readonly rollout: RolloutShown }) => {
  const isOpen = useSignal(false);
  return (
    <details
      class="wide"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{t('rollout.frames')}</summary>
      {isOpen.value && <FrameList rollout={rollout} />}
    </details>
  );
};

const FrameList = ({ rollout }: { readonly rollout: RolloutShown }) => {
  const found = useResource<RolloutFramesShown>(
    (signal) =>
      callApi('GET /organizations/{organizationId}/firmware/rollouts/{rolloutId}', { path: pathOf(rollout), signal }),
    [rollout.changedAt, rollout.updated],
  );
  if (found.value === undefined) {
    return found.problem === undefined ? <Loading /> : <ProblemBox problem={found.problem} />;
  }
  if (found.value.frames.length === 0) return <p class="note">{t('rollout.noFrames')}</p>;
  return (
    <ul class="rows">
      {found.value.frames.map(({ deviceId, name, phase, at, reason, reasons, runs }) => (
        <li key={deviceId} class={phase === 'failed' || phase === 'lost' ? 'bad' : ''}>
          <a href={hrefOf(`frames/${deviceId}`)}>{name || t('frame.noName')}</a>
          <span>{tCode('rolloutPhase', phase)}</span>
          {runs !== null && <span class="note">{t('firmware.runs', { version: runs })}</span>}
          {reason !== null && <span class="note">{saidText(reasons, reason)}</span>}
          {at !== null && (
            <time class="note" dateTime={at} title={fullTime(at)}>
              {clockTime(at)}
            </time>
          )}
        </li>
      ))}
    </ul>
  );
};
