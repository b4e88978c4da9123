/** The actions on the chosen frames, and the jobs that are under way. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { mayManage } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { sayHeight } from '../../parts/keep-clear.ts';
import { JobProgress } from '../jobs/job-progress.tsx';
import { dismissJob, followJobs, type KnownJob, knownJobs, ownJobs } from '../jobs/known-jobs.ts';
import { chooseNone, chosenFrames } from './chosen-frames.ts';
import { FirmwareOfSeveral } from './firmware-of-several.tsx';
import { foundFrames } from './found-frames.ts';
import { PaperOfSeveral } from './paper-of-several.tsx';
import { PictureOfSeveral } from './picture-of-several.tsx';
import { PlaceOfSeveral } from './place-of-several.tsx';
import { SettingsOfSeveral } from './settings-of-several.tsx';

/** The form of each kind of job. */
const forms = {
  settings: SettingsOfSeveral,
  place: PlaceOfSeveral,
  paper: PaperOfSeveral,
  picture: PictureOfSeveral,
  firmware: FirmwareOfSeveral,
} as const satisfies Readonly<Record<KnownJob['kind'], unknown>>;
type FormName = keyof typeof forms;

/** More jobs than these are seen on their page. */
const maxShown = 3;

/** Draws the bar; nothing while no frame is chosen and no job is under way. */
export const SeveralBar = () => {
  const opened = useSignal<FormName | undefined>(undefined);
  const bar = useRef<HTMLElement>(null);
  useEffect(followJobs, []);
  const chosen = chosenFrames.value;
  const jobs = (knownJobs.value ?? []).filter(({ id, isOver }) => !isOver || ownJobs.value.has(id)).slice(0, maxShown);
  const isShown = jobs.length > 0 || chosen.length > 0;
  useEffect(() => (bar.current === null ? undefined : sayHeight(bar.current, '--several')), [isShown]);
  if (!isShown) return null;
  const names = (Object.keys(forms) as FormName[]).filter((name) => name !== 'firmware' || mayManage.value);
  const Opened = opened.value === undefined ? undefined : forms[opened.value];
  return (
    <section ref={bar} class="several" aria-label={t('several.title')}>
      {jobs.map((job) => (
        <div key={job.id} class="run-row">
          <JobProgress job={job} />
          {job.isOver && (
            <button type="button" class="plain" onClick={() => dismissJob(job.id)}>
              {t('state.dismiss')}
            </button>
          )}
        </div>
      ))}
      {jobs.some(({ isOver }) => !isOver) && <p class="note">{t('jobs.goesOn')}</p>}
      {chosen.length > 0 && (
        <div class="chosen-bar">
          <Chosen />
          <button type="button" class="plain" onClick={chooseNone}>
            {t('several.none')}
          </button>
          <div class="actions">
            {names.map((name) => (
              <button
                key={name}
                type="button"
                aria-haspopup="dialog"
                onClick={() => {
                  opened.value = name;
                }}
              >
                {t(`several.${name}`)}
              </button>
            ))}
          </div>
        </div>
      )}
      {Opened !== undefined && (
        <Opened
          devices={chosen}
          close={() => {
            opened.value = undefined;
          }}
        />
      )}
    </section>
  );
};

/** How many are chosen, and how many of them are not in the list that is shown. */
const Chosen = () => {
  const found = new Set(foundFrames.value);
  const hidden = chosenFrames.value.filter((device) => !found.has(device)).length;
  return (
    <p role="status">
      <strong>{t('several.chosen', { count: chosenFrames.value.length })}</strong>{' '}
      {hidden > 0 && <span class="note">{t('several.hidden', { count: hidden })}</span>}
    </p>
  );
};
