/** One frame: what is on its glass and how it came there, how it fares, and what can be done with it. */
import type { ComponentType } from 'preact';
import { showsDetails } from '../ground/details.ts';
import { hrefOf } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite } from '../ground/session.ts';
import { now } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Facts } from '../parts/frame-card.tsx';
import { troubleLine } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { SimulatedMark } from '../parts/simulated-mark.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { TimedList } from '../parts/timed-list.tsx';
import { useTitle } from '../parts/title.ts';
import { FrameActions } from './frame/actions.tsx';
import { FrameCredentials } from './frame/credentials.tsx';
import { FrameCurves } from './frame/curves.tsx';
import { FrameEvents } from './frame/events.tsx';
import { FirmwareCard } from './frame/firmware.tsx';
import { type FrameKnown, isConnected, isPolled, useChanges, useFrame } from './frame/frame-state.ts';
import { GlassNow } from './frame/glass-now.tsx';
import { GlassPast } from './frame/glass-past.tsx';
import { PaperChoice } from './frame/paper-choice.tsx';
import { Road } from './frame/road.tsx';
import { FrameSettings } from './frame/settings.tsx';
import { SimulatedCard } from './frame/simulated-card.tsx';

/** The frame's page; another frame begins with nothing of the one before. */
export const Frame: Screen = ({ rest: [id = ''] }) => <OneFrame key={id} id={id} />;

const OneFrame: ComponentType<{ readonly id: string }> = ({ id }) => {
  const version = useChanges(id);
  const { value, problem, reload } = useFrame(id, version);
  useTitle(value?.row.name || t('frame.noName'));
  if (problem?.status === 404 || problem?.status === 400) return <Missing />;
  if (problem !== undefined && value === undefined) return <ProblemBox problem={problem} again={() => void reload()} />;
  if (value === undefined) return <Loading />;
  return <FrameShown known={value} version={version} reload={reload} />;
};

const Missing: ComponentType = () => (
  <div class="empty">
    <h1>{t('one.missing')}</h1>
    <a class="button" href={hrefOf('frames')}>
      {t('missing.home')}
    </a>
  </div>
);

interface ShownProps {
  readonly known: FrameKnown;
  readonly version: number;
  readonly reload: () => Promise<void>;
}

/** How long a frame that was adopted needs to come: it asks each quarter of an hour, and is late by little. */
const comesWithinMs = 20 * 60_000;

/** True for a frame that polls and that was adopted a moment ago: it comes by itself. */
const comesFirst = ({ row: { serial, lastSeenAt, simulated }, device: { createdAt } }: FrameKnown): boolean =>
  lastSeenAt === null && !simulated && isPolled(serial) && now.value - new Date(createdAt).getTime() < comesWithinMs;

const FrameShown: ComponentType<ShownProps> = ({ known, version, reload }) => {
  const { device, row } = known;
  const isComing = comesFirst(known);
  const trouble = troubleLine(row);
  return (
    <>
      <div class="heading one-heading">
        <a class="back" href={hrefOf('frames')}>
          <Icon name="back" />
          <span>{t('nav.frames')}</span>
        </a>
        <h1>{row.name === '' ? t('frame.noName') : row.name}</h1>
        <SimulatedMark device={row} />
        {showsDetails.value && <p class="note">{[row.serial, row.kind].filter(Boolean).join(' · ')}</p>}
      </div>
      {trouble !== undefined && (
        <p class={row.trouble?.level === 'alarm' ? 'problem' : 'warn'} role="status">
          {trouble}
        </p>
      )}
      {isComing && (
        <p class="first-picture" role="status">
          {t(row.paper === null ? 'adopt.firstPictureOf' : 'adopt.firstPicture')}
        </p>
      )}
      <div class="one-columns">
        <div>
          <GlassNow row={row} />
          <TimedList device={row.id} paper={row.paper?.id ?? null} />
          <Road id={row.id} version={version} />
          <GlassPast id={row.id} size={row.panel} name={row.name} newest={row.glass?.uploadId} />
          <FrameEvents id={row.id} version={version} />
        </div>
        <div>
          <section class="card">
            <h2>{t('one.state')}</h2>
            <Facts device={row} />
          </section>
          {mayWrite.value && <SimulatedCard row={row} />}
          {mayWrite.value && <FrameActions row={row} device={device} />}
          <FrameCurves id={row.id} wokeAt={row.lastSeenAt} />
          <PaperChoice known={known} reload={reload} />
          {mayWrite.value && <FrameSettings device={device} polls={isPolled(row.serial)} reload={reload} />}
          <FirmwareCard known={known} />
          {mayWrite.value && row.serial !== null && isConnected(row.serial) && !row.simulated && (
            <FrameCredentials id={row.id} serial={row.serial} />
          )}
        </div>
      </div>
    </>
  );
};
