/** Which frame do you have? The first question, because each way needs other fields. */
import { hrefOf } from '../../ground/router.ts';
import { mayManage } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Icon } from '../../parts/icon.tsx';

/** The ways to add a frame, as addresses name them. */
export const ways = ['serial', 'offline', 'asks', 'plain', 'simulated'] as const;
export type Way = (typeof ways)[number];

const icons: Readonly<Record<Way, string>> = {
  serial: 'brand',
  offline: 'frames',
  asks: 'turns',
  plain: 'key',
  simulated: 'picture',
};

/** Whether the person may take a way: those that hand out keys are for administrators. */
export const isOpenWay = (way: Way): boolean => mayManage.value || way === 'serial' || way === 'simulated';

/** Draws the question. */
export const Ways = () => (
  <section aria-labelledby="which">
    <h2 id="which">{t('add.which')}</h2>
    <ul class="ways">
      {ways.filter(isOpenWay).map((way) => (
        <li key={way}>
          <a class="card" href={hrefOf(`frames/add?way=${way}`)}>
            <Icon name={icons[way]} />
            <strong>{t(`add.way.${way}`)}</strong>
            <span>{t(`add.wayHint.${way}`)}</span>
          </a>
        </li>
      ))}
    </ul>
    {!mayManage.value && <p class="note">{t('adopt.askAdmin')}</p>}
  </section>
);
