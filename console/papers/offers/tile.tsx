/** A picture of one thing that can be had, with its name and a line about it. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import type { Offer } from './offers.ts';

interface TileProps {
  readonly offer: Offer;
  /** The address that it leads to; left out where it is chosen on the page. */
  readonly href?: string;
  readonly choose?: () => void;
}

/** Draws it as a link, or as a button. */
export const Tile = ({ offer, href, choose }: TileProps) => {
  const id = useId();
  const named = { class: 'tile', 'aria-label': offer.name, 'aria-describedby': `${id}-line` };
  const content: ComponentChildren = (
    <>
      <span class="tile-picture">
        {offer.picture === undefined ? (
          <Icon name={offer.icon} />
        ) : (
          <img src={offer.picture} alt="" loading="lazy" decoding="async" />
        )}
      </span>
      <strong dir="auto">{offer.name}</strong>
      <span class="note" id={`${id}-line`} dir="auto">
        {offer.line}
      </span>
    </>
  );
  if (href !== undefined)
    return (
      <a {...named} href={href}>
        {content}
      </a>
    );
  return (
    <button {...named} type="button" onClick={choose}>
      {content}
    </button>
  );
};
