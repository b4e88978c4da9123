/** When the service was last backed up, and how its operator does that, on its machine. */
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { fullTime, now, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';

type BackupsShown = AnswerOf<'GET /service/about'>['backups'];

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
          {backups.lastAt === null ? <p class="warn">{t('backup.none')}</p> : <Last at={backups.lastAt} />}
          <p>
            {backups.keep === 0 ? t('backup.notNightly') : t('backup.nightly', { count: backups.keep })}{' '}
            {t('backup.elsewhere')}
          </p>
          {backups.archive && <Archive {...backups.archive} />}
          {about.value && <Examined {...about.value.examined} />}
          <p>{t('backup.how')}</p>
          <pre>papergate backup create</pre>
          {backups.keep === 0 && (
            <>
              <p>{t('backup.everyNight')}</p>
              <pre>PAPERGATE_BACKUP_KEEP=3</pre>
            </>
          )}
        </>
      )}
    </Card>
  );
};

const Last = ({ at }: { readonly at: string }) => {
  const isOld = now.value - Date.parse(at) > oldMs;
  return (
    <p class={isOld ? 'warn' : undefined} title={fullTime(at)}>
      {t('backup.last', { when: relativeTime(at) })} {isOld && t('backup.old')}
    </p>
  );
};

/** Says up to when the service is archived in its second place, and why that waits. */
const Archive = ({ until, waitsSince, trouble }: NonNullable<BackupsShown['archive']>) => (
  <>
    {until !== null && <p>{t('backup.archived', { time: fullTime(until) })}</p>}
    {until === null && waitsSince === null && <p>{t('backup.archiveBegins')}</p>}
    {waitsSince !== null && (
      <p class="warn">
        {t('backup.archiveWaits', { time: fullTime(waitsSince) })} {t(`archiveTrouble.${trouble ?? 'other'}`)}
      </p>
    )}
  </>
);

/** Says whether the nightly examination found damage, which the operator repairs on the machine. */
const Examined = ({ wholeAt, damagedTables, damagedFiles }: AnswerOf<'GET /service/about'>['examined']) => {
  if (damagedTables + damagedFiles > 0) {
    return (
      <>
        <p class="warn">{t('backup.damaged', { tables: damagedTables, files: damagedFiles })}</p>
        <pre>papergate doctor --deep --files</pre>
      </>
    );
  }
  if (wholeAt === null) return <p>{t('backup.notExamined')}</p>;
  return <p title={fullTime(wholeAt)}>{t('backup.sound', { when: relativeTime(wholeAt) })}</p>;
};
