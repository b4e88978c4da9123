/** The service level in plain words: how many pictures came in time, and what is left of those that may be late. */
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { useRecordSettings } from './record.tsx';

const percent = (share: number): number => Math.round(share * 1000) / 10;

/** Draws the card. */
export const ServiceLevel = () => {
  const read = useRecordSettings();
  const level = read.value?.level;
  return (
    <Card id="level" title={t('level.title')} of={read}>
      {level !== undefined && level.pictures === 0 && <p class="note">{t('level.none')}</p>}
      {level !== undefined && level.pictures > 0 && (
        <>
          <p class={level.inTime / level.pictures < level.target / 100 ? 'warn' : undefined}>
            {t('level.words', { percent: percent(level.inTime / level.pictures), count: level.pictures })}
          </p>
          <p>
            {level.budget < 0
              ? t('level.spent', { target: level.target })
              : t('level.left', { target: level.target, percent: percent(level.budget) })}
          </p>
          {level.isBurning && <p class="warn">{t('level.burning')}</p>}
        </>
      )}
    </Card>
  );
};
