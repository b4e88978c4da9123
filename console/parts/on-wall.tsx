/** Since when a picture is on the wall; a tick says that it is proven, and how is behind it. */
import type { FleetDevice } from '../ground/fleet.ts';
import { fullTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { onWall } from './frame-words.ts';
import { Icon } from './icon.tsx';

interface OnWallProps {
  readonly glass: FleetDevice['glass'];
}

/** The line with its tick, for a card. */
export const OnWallLine = ({ glass }: OnWallProps) => {
  if (glass === null) return <>{t('picture.unproven')}</>;
  const { line, isProven, proof } = onWall(glass);
  return (
    <span class="on-wall" title={`${fullTime(glass.since)}. ${proof}`}>
      {line}
      {isProven && <Icon name="check" />}
      {isProven && <span class="visually-hidden">{t('wall.proven')}</span>}
    </span>
  );
};

/** The line as what opens the proof, for the frame's own page. */
export const OnWallProof = ({ glass }: OnWallProps) => {
  if (glass === null) return <>{t('picture.unproven')}</>;
  return (
    <details class="proof">
      <summary>
        <OnWallLine glass={glass} />
      </summary>
      <p class="note">{onWall(glass).proof}</p>
      <p class="note">
        <time dateTime={glass.since}>{fullTime(glass.since)}</time>
      </p>
    </details>
  );
};
