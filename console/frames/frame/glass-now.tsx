/** The glass, large, with its proof; beside it what is due. */
import type { ComponentType } from 'preact';
import type { FleetDevice } from '../../ground/fleet.ts';
import { hrefOf } from '../../ground/router.ts';
import { mayWrite } from '../../ground/session.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { frameLine, uploadPicture } from '../../parts/frame-words.ts';
import { Icon } from '../../parts/icon.tsx';
import { OnWallProof } from '../../parts/on-wall.tsx';
import { ApiPicture } from '../../parts/picture.tsx';

/** Draws what is proven to be on the glass, and what is to follow. */
export const GlassNow: ComponentType<{ readonly row: FleetDevice }> = ({ row }) => {
  const { id, name, panel, glass, due } = row;
  const size = [panel?.width ?? 800, panel?.height ?? 480] as const;
  const isDue = due !== null && due.uploadId !== glass?.uploadId;
  return (
    <Card id="glass-now" title={t('one.glass')} class="glass-now">
      {(row.why !== null || glass === null) && <p class="line">{frameLine(row)}</p>}
      <figure class={size[1] > size[0] ? 'large tall-glass' : 'large'}>
        <ApiPicture
          path={glass === null ? null : uploadPicture(id, glass.uploadId)}
          alt={t('picture.glass', { name })}
          size={size}
        />
        <figcaption>
          <OnWallProof glass={glass} />
        </figcaption>
      </figure>
      {glass?.doubt != null && <p class="warn">{tCode('doubt', glass.doubt)}</p>}
      {isDue && (
        <figure class="due">
          <ApiPicture
            path={due.uploadId === null ? null : uploadPicture(id, due.uploadId)}
            alt={t('picture.due', { name })}
            size={size}
          />
          <figcaption>{t('picture.next')}</figcaption>
        </figure>
      )}
      {mayWrite.value && panel !== null && (
        <a class="button" href={hrefOf(`send?frame=${id}`)}>
          <Icon name="send" />
          {t('one.send')}
        </a>
      )}
    </Card>
  );
};
