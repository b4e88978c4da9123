/** A part of a screen under a heading. */
import type { ComponentChildren, ComponentProps } from 'preact';
import { Reading } from './states.tsx';

interface CardProps {
  /** The id of its heading. */
  readonly id: string;
  readonly title: string;
  readonly class?: string;
  /** The content next to the heading. */
  readonly beside?: ComponentChildren;
  readonly hint?: string;
  /** The data that it shows, where that has to be read first. */
  readonly of?: ComponentProps<typeof Reading>['of'];
  /** Whether what was read before stays without a word where it cannot be read again. */
  readonly isQuiet?: boolean;
  readonly children?: ComponentChildren;
}

/** Draws the part. */
export const Card = ({ id, title, beside, hint, of, isQuiet, children, ...more }: CardProps) => {
  const heading = <h2 id={id}>{title}</h2>;
  return (
    <section class={more.class === undefined ? 'card' : `card ${more.class}`} aria-labelledby={id}>
      {beside === undefined ? (
        heading
      ) : (
        <div class="card-head">
          {heading}
          {beside}
        </div>
      )}
      {hint !== undefined && <p class="note">{hint}</p>}
      {of && (of.value === undefined || !isQuiet) && <Reading of={of} />}
      {children}
    </section>
  );
};
