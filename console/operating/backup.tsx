/** When the service was last backed up, and how its operator does that, on its machine. */
import { callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { fullTime, now, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';

/** A night may be missed by a machine that was off; two are a fault, as `papergate doctor` judges it. */
const oldMs = 48 * 3_600_000;

/** Draws the card. */
export const Backup = () => {
  const about = useResource((signal) => callApi('GET /service/about', { signal }), []);
  const backups = about.value?.backups;
  return (
    <Card id="backup" title={t('backup.title')} of={about}>
      {backups !== undefined && (
        <>
          {backups.lastAt === null ? (
            <p class="warn">{t('backup.none')}</p>
          ) : (
            <p
              class={now.value - Date.parse(backups.lastAt) > oldMs ? 'warn' : undefined}
              title={fullTime(backups.lastAt)}
            >
              {t('backup.last', { when: relativeTime(backups.lastAt) })}
            </p>
          )}
          <p>
            {backups.keep === 0 ? t('backup.notNightly') : t('backup.nightly', { count: backups.keep })}{' '}
            {t('backup.elsewhere')}
          </p>
          <p>{t('backup.how')}</p>
          <pre>papergate backup create</pre>
          {backups.keep === 0 && (
            <>
              <p>{t('backup.everyNight')}</p>
              <pre>PAPERGATE_BACKUP_KEEP=7</pre>
            </>
          )}
        </>
      )}
    </Card>
  );
};
