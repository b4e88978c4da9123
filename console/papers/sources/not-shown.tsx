/** The pictures of a source that the album does not show: how many, and why. */
import { t, tCode } from '../../ground/words.ts';
import type { AlbumSource } from './sources-book.ts';

/** Draws what is left out or could not be fetched; nothing where everything is shown. */
export const NotShown = ({ source: { leftOut, failed } }: { readonly source: AlbumSource }) => {
  const reasons = Object.entries(leftOut).filter(([, count]) => count > 0);
  const count = reasons.reduce((sum, [, some]) => sum + some, 0);
  return (
    <>
      {count > 0 && (
        <details>
          <summary>{t('sources.leftOut', { count })}</summary>
          <ul class="rows">
            {reasons.map(([reason, some]) => (
              <li key={reason}>{t('sources.leftOutFor', { why: tCode('sources.leftOut', reason), count: some })}</li>
            ))}
          </ul>
        </details>
      )}
      {failed > 0 && <p class="note">{t('sources.failed', { count: failed })}</p>}
    </>
  );
};
