/** The kinds of places from which pictures can be added, as tiles. */
import { t } from '../../ground/words.ts';
import { Tile } from '../offers/tile.tsx';
import { type OfferedSource, sourceIcons, sourceKinds } from './source-kinds.ts';

interface KindTilesProps {
  /** Whether the operator offers folders of the machine. */
  readonly hasFolders: boolean;
  readonly choose: (kind: OfferedSource) => void;
}

/** Draws the tiles. Each is a button. */
export const KindTiles = ({ hasFolders, choose }: KindTilesProps) => {
  const kinds: readonly OfferedSource[] = [...sourceKinds.filter((kind) => kind !== 'folder' || hasFolders), 'google'];
  return (
    <ul class="offers">
      {kinds.map((kind) => (
        <li key={kind}>
          <Tile
            offer={{
              key: kind,
              name: t(`sources.kind.${kind}`),
              line: t(`sources.line.${kind}`),
              icon: sourceIcons[kind],
              query: {},
            }}
            choose={() => choose(kind)}
          />
        </li>
      ))}
    </ul>
  );
};

/** Says why Google Photos cannot fill an album, and offers a guest link. */
export const WhyNotGoogle = () => (
  <>
    <p>{t('sources.google.why')}</p>
    <p>
      <button type="button" onClick={toGuestLinks}>
        {t('sources.google.guests')}
      </button>
    </p>
    <p class="note">{t('sources.google.more')}</p>
  </>
);

/** Goes to the form of guest links on this page. */
function toGuestLinks(): void {
  const section = document.getElementById('guest-links')?.parentElement;
  section?.scrollIntoView({ block: 'start' });
  section?.querySelector('input')?.focus();
}
