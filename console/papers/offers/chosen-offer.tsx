/** The head of new content's form: what was chosen, and the way back to the gallery. */
import { hrefOf, query } from '../../ground/router.ts';
import { t } from '../../ground/words.ts';
import { Icon } from '../../parts/icon.tsx';

/** The link back to the gallery, for the same frame. */
export const OtherOffer = () => {
  const frame = query.value.get('frame');
  return (
    <a class="button" href={hrefOf(frame === null ? 'papers/new' : `papers/new?frame=${encodeURIComponent(frame)}`)}>
      {t('papers.otherKind')}
    </a>
  );
};

/** Draws the head. */
export const ChosenOffer = ({ name, icon }: { readonly name: string; readonly icon: string }) => (
  <div class="chosen-offer">
    <h2>
      <Icon name={icon} />
      {name}
    </h2>
    <OtherOffer />
  </div>
);
