/** A frame at a glance: what is proven on its glass, what is due, how it is. */
import type { ComponentType } from 'preact';
import type { FleetDevice } from '../ground/fleet.ts';
import { hrefOf } from '../ground/router.ts';
import { t } from '../ground/words.ts';
import { batteryLine, frameLine, signalLine, troubleLine, uploadPicture, wakeLine } from './frame-words.ts';
import { Icon } from './icon.tsx';
import { OnWallLine } from './on-wall.tsx';
import { ApiPicture } from './picture.tsx';
import { SimulatedMark } from './simulated-mark.tsx';

interface FrameProps {
  readonly device: FleetDevice;
}

/** The card on the frames page. */
export const FrameCard: ComponentType<FrameProps> = ({ device }) => {
  const trouble = troubleLine(device);
  return (
    <article class={`card frame ${device.trouble?.level ?? ''}`}>
      <h2>
        <a href={hrefOf(`frames/${device.id}`)}>{device.name === '' ? t('frame.noName') : device.name}</a>
        <SimulatedMark device={device} />
      </h2>
      <Glass device={device} />
      <p class="line">{trouble ?? frameLine(device)}</p>
      <Facts device={device} />
    </article>
  );
};

/** The picture proven on the glass, and small beside it the one that is due. */
export const Glass: ComponentType<FrameProps> = ({ device: { id, name, panel, glass, due } }) => {
  const size = [panel?.width ?? 800, panel?.height ?? 480] as const;
  const isDue = due !== null && due.uploadId !== null && due.uploadId !== glass?.uploadId;
  return (
    <div class="glass">
      <figure class={size[1] > size[0] ? 'panel tall' : 'panel'}>
        <ApiPicture
          path={glass === null ? null : uploadPicture(id, glass.uploadId)}
          alt={t('picture.glass', { name })}
          size={size}
        />
        <figcaption>
          <OnWallLine glass={glass} />
        </figcaption>
      </figure>
      {isDue && due.uploadId !== null && (
        <figure class={size[1] > size[0] ? 'panel next tall' : 'panel next'}>
          <ApiPicture path={uploadPicture(id, due.uploadId)} alt={t('picture.due', { name })} size={size} />
          <figcaption>{t('picture.next')}</figcaption>
        </figure>
      )}
    </div>
  );
};

/** Battery, signal and next wake. */
export const Facts: ComponentType<FrameProps> = ({ device }) => (
  <ul class="facts">
    <li>
      <Icon name="clock" />
      <span>{wakeLine(device)}</span>
    </li>
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
