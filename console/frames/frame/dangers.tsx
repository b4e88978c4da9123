/** The actions that cannot be taken back, apart from everything else at the end of a page, each with what it does. */
import type { ComponentChildren } from 'preact';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';

/** Draws the card around them. */
export const Dangers = ({ children }: { readonly children: ComponentChildren }) => (
  <Card id="dangers" title={t('dangers.title')} class="dangers">
    {children}
  </Card>
);

interface DangerProps {
  /** The effect. */
  readonly text: string;
  readonly label: string;
  readonly isBusy: boolean;
  readonly act: () => Promise<void>;
}

/** Draws one of them. */
export const Danger = ({ text, label, isBusy, act }: DangerProps) => (
  <div class="danger-row">
    <p>{text}</p>
    <button type="button" class="danger" disabled={isBusy} onClick={() => void act()}>
      {label}
    </button>
  </div>
);
