/** The picture of a preview with its caption, and what kept it from being made. */
import type { ComponentChildren } from 'preact';
import type { Problem } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { problemText } from '../states.tsx';
import type { Size } from './crop.ts';

interface PreviewFigureProps {
  /** The picture's address; undefined until there is one. */
  readonly address: string | undefined;
  readonly alt: string;
  readonly caption: string;
  readonly size: Size;
  /** The picture is of a crop or a caption of before. */
  readonly isOld: boolean;
  readonly problem: Problem | undefined;
  readonly again: () => void;
  readonly children?: ComponentChildren;
}

/** Draws the figure; the children stand below it. */
export const PreviewFigure = ({ address, size: [width, height], ...shown }: PreviewFigureProps) => (
  <section class="preview" aria-label={t('send.preview')} aria-busy={shown.isOld && shown.problem === undefined}>
    <figure class={shown.isOld ? 'old' : ''}>
      <div class="picture" style={{ aspectRatio: `${width} / ${height}`, '--shape': width / height }}>
        {address !== undefined && <img src={address} alt={shown.alt} width={width} height={height} />}
      </div>
      <figcaption>{shown.caption}</figcaption>
    </figure>
    {shown.problem !== undefined && (
      <div class="problem" role="alert">
        <p>{problemText(shown.problem)}</p>
        <button type="button" onClick={shown.again}>
          {t('state.again')}
        </button>
      </div>
    )}
    {shown.children}
  </section>
);
