/** A frame at a glance: its picture as it hangs, its name, and one line on how it is. */
import type { FleetDevice } from '../ground/fleet.ts';
import { hrefOf } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { aboutTime, clockTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { dueLine } from './due-list.tsx';
import { batteryLine, frameLine, signalLine, troubleLine, uploadPicture, wakeLine } from './frame-words.ts';
import { HungPicture, TuckedPicture } from './hung-picture.tsx';
import { Icon } from './icon.tsx';
import { OnWallLine } from './on-wall.tsx';
import { SimulatedMark } from './simulated-mark.tsx';

interface FrameProps {
  readonly device: FleetDevice;
}

/** The name of a frame, or that it has none. */
export const nameOfFrame = ({ name }: Pick<FleetDevice, 'name'>): string => (name === '' ? t('frame.noName') : name);

/** The size of what a frame shows, as a person sees it. */
export const sizeOfFrame = ({ panel }: Pick<FleetDevice, 'panel'>): readonly [width: number, height: number] => [
  panel?.width ?? 800,
  panel?.height ?? 480,
];

/** Whether somebody first has to choose what the frame shows, so that there is nothing else to report about it. */
const isEmpty = ({ panel, paper, glass, due, trouble }: FleetDevice): boolean =>
  panel !== null && paper === null && glass === null && due === null && trouble === null;

/** The card on the frames page. */
export const FrameCard = ({ device }: FrameProps) => {
  const name = nameOfFrame(device);
  return (
    <article class={`frame ${device.trouble?.level ?? ''}`}>
      <Glass device={device} />
      <div class="frame-name">
        <h2>
          <a href={hrefOf(`frames/${device.id}`)}>{name}</a>
        </h2>
        <SimulatedMark device={device} />
        {mayWrite.value && device.panel !== null && (
          <a class="send-there" href={hrefOf(`send?frame=${device.id}`)} aria-label={t('frame.sendTo', { name })}>
            <Icon name="send" />
          </a>
        )}
      </div>
      {mayWrite.value && isEmpty(device) ? (
        <a
          class="button choose-shown"
          href={hrefOf(`frames/${device.id}`)}
          aria-label={`${name}: ${t('choice.other')}`}
        >
          {t('choice.other')}
        </a>
      ) : (
        <StateLine device={device} />
      )}
    </article>
  );
};

/** The trouble of a frame, or its deadline at stake, or what is to come, or since when its picture is there, with its proof behind a tick. */
export const StateLine = ({ device }: FrameProps) => {
  const { glass, why } = device;
  const trouble = troubleLine(device) ?? dueLine(device.id);
  const isThere = trouble === undefined && why === null && glass !== null;
  return (
    <p class="state-line">
      {trouble !== undefined && <Icon name="warning" />}
      <span>{isThere ? <OnWallLine glass={glass} /> : (trouble ?? frameLine(device))}</span>
    </p>
  );
};

/** The picture proven on the glass, and small in its corner the one that is due, with the time at which it is expected. */
export const Glass = ({ device }: FrameProps) => {
  const { id, glass, due } = device;
  const [name, size] = [nameOfFrame(device), sizeOfFrame(device)];
  const next = due?.uploadId ?? null;
  return (
    <HungPicture
      path={glass === null ? null : uploadPicture(id, glass.uploadId)}
      alt={t('picture.glass', { name })}
      size={size}
    >
      {next !== null && next !== glass?.uploadId && (
        <TuckedPicture
          path={uploadPicture(id, next)}
          alt={t('picture.due', { name })}
          size={size}
          caption={nextTime(device)}
        />
      )}
    </HungPicture>
  );
};

/** When the next picture is expected; only that it is the next, where no time is known. */
function nextTime({ nextWakeAt, awake, lastSeenAt }: FleetDevice): string {
  if (nextWakeAt === null || awake || new Date(nextWakeAt).getTime() < Date.now()) return t('picture.next');
  const { which, time } = aboutTime(nextWakeAt, lastSeenAt);
  return which === 'today' ? time : clockTime(nextWakeAt);
}

interface FactsProps extends FrameProps {
  /** Left out where the page says already that it is awake. */
  readonly hasWake?: boolean;
}

/** Battery, signal and next wake. */
export const Facts = ({ device, hasWake = true }: FactsProps) => (
  <ul class="facts">
    {hasWake && (
      <li>
        <Icon name="clock" />
        <span>{wakeLine(device)}</span>
      </li>
    )}
    <li>
      <Icon name="battery" />
      <span>{batteryLine(device)}</span>
    </li>
    <li>
      <Icon name="signal" />
      <span>{signalLine(device)}</span>
    </li>
  </ul>
);
