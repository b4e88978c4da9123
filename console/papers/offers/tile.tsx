/** A picture of one thing that can be had, with its name and a line about it. */
import { useId } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import type { Offer } from './offers.ts';

interface TileProps {
  readonly offer: Offer;
  /** The address that it leads to; left out where it is chosen on the page. */
  readonly href?: string;
  readonly choose?: () => void;
}

/** Draws it. Its name is a link, or a button, over all of it. */
export const Tile = ({ offer, href, choose }: TileProps) => {
  const line = `${useId()}-line`;
  return (
    <div class="offer-tile">
      <span class="offer-picture">
        {offer.picture === undefined ? (
          <Icon name={offer.icon} />
        ) : (
          <img src={offer.picture} alt="" loading="lazy" decoding="async" />
        )}
      </span>
      {href === undefined ? (
        <button class="offer-name" type="button" dir="auto" aria-describedby={line} onClick={choose}>
          {offer.name}
        </button>
      ) : (
        <a class="offer-name" dir="auto" aria-describedby={line} href={href}>
          {offer.name}
        </a>
      )}
      <p class="offer-line" id={line} dir="auto">
        {offer.line}
      </p>
    </div>
  );
};
