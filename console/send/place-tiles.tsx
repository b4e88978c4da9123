/** For whom pictures are: frames and papers as tiles with their newest picture, the last chosen first. */
import { useComputed } from '@preact/signals';
import { fleet } from '../ground/fleet.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { hrefOf } from '../ground/router.ts';
import { listWords, t } from '../ground/words.ts';
import type { Draft } from '../parts/drafts/drafts.ts';
import { atOnce, type ShowTimes } from '../parts/drafts/show-times.ts';
import { SearchedList } from '../parts/forms/searched-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/states.tsx';
import { PlacePicture } from './place-picture.tsx';
import { chooseForEach, commonPlaces, isForEach, placeIdsOf, rememberedPlaces, togglePlace } from './places.ts';
import { type Target, targets } from './targets.ts';

interface TilesProps {
  /** The picture whose places are chosen, where each has its own. */
  readonly draft: Draft | undefined;
  readonly count: number;
}

/** Draws the choice. */
export const PlaceTiles = ({ draft, count }: TilesProps) => {
  // The order stays while somebody chooses.
  const last = useComputed(() => rememberedPlaces());
  const chosen = draft === undefined ? commonPlaces.value : placeIdsOf(draft);
  if (targets.value.length === 0) {
    return (
      <EmptyState icon="frames" title={t('send.noTargets')}>
        <a class="button primary" href={hrefOf('frames/add')}>
          {t('frames.add')}
        </a>
      </EmptyState>
    );
  }
  return (
    <fieldset class="places">
      <legend>
        {isForEach.value && draft !== undefined ? t('send.whereOne', { name: draft.name }) : t('send.where')}
      </legend>
      <SearchedList
        items={lastFirst(targets.value, last.value)}
        search={t('send.searchTargets')}
        textOf={({ name }) => name}
        isChosen={({ id }) => chosen.includes(id)}
        draw={(shown) => (
          <ul class="tiles">
            {shown.map((target) => (
              <PlaceTile key={target.id} target={target} draft={draft} isChosen={chosen.includes(target.id)} />
            ))}
          </ul>
        )}
      />
      {count > 1 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isForEach.value}
            onChange={(event) => chooseForEach(event.currentTarget.checked)}
          />
          <span>{t('send.forEach')}</span>
        </label>
      )}
    </fieldset>
  );
};

function lastFirst(all: readonly Target[], last: readonly string[]): readonly Target[] {
  const rank = ({ id }: Target): number => (last.includes(id) ? last.indexOf(id) : last.length);
  return [...all].sort((one, other) => rank(one) - rank(other));
}

const PlaceTile = ({
  target,
  draft,
  isChosen,
}: {
  readonly target: Target;
  readonly draft: Draft | undefined;
  readonly isChosen: boolean;
}) => {
  const name = target.name === '' ? t('frame.noName') : target.name;
  const [width, height] = target.size;
  return (
    <li>
      <label class={isChosen ? 'tile chosen' : 'tile'}>
        <input type="checkbox" checked={isChosen} onChange={() => togglePlace(target.id, draft)} />
        <span class="tile-wall">
          <span class="passepartout" style={{ aspectRatio: `${width} / ${height}`, '--shape': width / height }}>
            <PlacePicture target={target} />
          </span>
        </span>
        <span class="name">
          {isChosen && <Icon name="check" />}
          <span dir="auto">{name}</span>
        </span>
      </label>
    </li>
  );
};

/** Describes what happens to the picture there; one that ends leaves everything as it was. */
export function whatHappens({ id, paper, covers, frames, deviceId }: Target, times: ShowTimes = atOnce): string {
  if (paper?.isAlbum === true) return t('send.toAlbum', { paper: paper.title });
  if (times.ends) return t('send.comesBack');
  if (id.startsWith('paper:')) return t('send.toPaper');
  if (paper === null) return covers === null ? t('send.ownImage') : t('send.covers', { kind: kindName(covers) });
  const others = frames.filter((device) => device !== deviceId).map((device) => fleet.value.get(device)?.name ?? '');
  if (others.length === 0) return t('send.replaces', { paper: paper.title });
  return t('send.replacesAlso', { paper: paper.title, others: listWords(others) });
}
