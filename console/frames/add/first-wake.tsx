/** The steps that are left for a frame that was added, and its first wake, seen live. */

import type { Schemas } from '../../../client/contract.ts';
import { hrefOf } from '../../ground/router.ts';
import { clockTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { Facts } from '../../parts/frame-card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemBox } from '../../parts/states.tsx';
import { CredentialFiles } from '../frame/credential-files.tsx';
import { type DeviceRecord, useChanges, useFrame } from '../frame/frame-state.ts';
import { OfflineEntries, type OfflineMade } from './offline-entries.tsx';
import { PlainAddress, type PlainMade } from './plain-address.tsx';

type CredentialsMade = Schemas['FrameCredentials'];

/** A frame that was added, with anything that was made for it and is shown only once. */
export interface AddedFrame {
  readonly device: DeviceRecord;
  /** When it was last heard from before, so that a new wake can be told from an old one. */
  readonly seenBefore: string | null;
  /** The text about what it waits for, and how long. */
  readonly waits: string;
  readonly made?: CredentialsMade;
  readonly plain?: PlainMade;
  readonly offline?: OfflineMade;
}

interface FirstWakeProps extends AddedFrame {
  readonly another: () => void;
}

/** Draws the steps that are left. */
export const FirstWake = ({ device, made, plain, offline, seenBefore, waits, another }: FirstWakeProps) => {
  const { value, problem, reload } = useFrame(device.id, useChanges(device.id));
  const seen = value?.row.lastSeenAt ?? null;
  const isSeen = seen !== null && seen !== seenBefore;
  const name = device.name === '' ? t('frame.noName') : device.name;
  return (
    <>
      {made !== undefined && (
        <section class="card">
          <h2>{t('add.files')}</h2>
          <CredentialFiles made={made} />
        </section>
      )}
      {plain !== undefined && <PlainAddress made={plain} />}
      {offline !== undefined && <OfflineEntries made={offline} />}
      <section class="card" aria-live="polite">
        <h2>{isSeen ? t('add.woke', { name }) : t('add.waits', { name })}</h2>
        {problem !== undefined && <ProblemBox problem={problem} again={() => void reload()} />}
        {isSeen ? (
          <p class="woke">
            <Icon name="check" />
            <span>{t('add.wokeAt', { time: clockTime(seen) })}</span>
          </p>
        ) : (
          <p class="note">{waits}</p>
        )}
        {isSeen && value !== undefined && (
          <Facts device={value.row} hasWake={!value.row.awake && value.row.nextWakeAt !== null} />
        )}
        <div class="actions">
          <a class="button primary" href={hrefOf(`send?frame=${device.id}`)}>
            {t('add.sendTo')}
          </a>
          <a class="button" href={hrefOf(`frames/${device.id}`)}>
            {t('add.toFrame')}
          </a>
          <button type="button" onClick={another}>
            {t('add.another')}
          </button>
        </div>
      </section>
    </>
  );
};
