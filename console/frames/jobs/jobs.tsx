/** The jobs of the organization, or one of them with its frames. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi, fetchApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { saidText } from '../../ground/said.ts';
import type { Screen } from '../../ground/screen.ts';
import { mayWrite, organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { act } from '../../parts/messages.tsx';
import { saveAnswer } from '../../parts/save-file.ts';
import { EmptyState, Loading, Reading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { JobProgress, nameOfJob } from './job-progress.tsx';
import { followJobs, type KnownJob, knownJobs } from './known-jobs.ts';

type JobFrames = AnswerOf<'GET /organizations/{organizationId}/jobs/{jobId}/frames'>;

/** Draws the list, or the page of the job whose id stands in the address. */
export const Jobs: Screen = ({ rest: [, id] }) => {
  useEffect(followJobs, []);
  useTitle(t('jobs.title'));
  if (!mayWrite.value) return <MayNotChangeFrames title={t('jobs.title')} />;
  return id === undefined ? <JobList /> : <JobPage key={id} id={id} />;
};

/** The screen of jobs, or of groups, for those who may change no frame. */
export const MayNotChangeFrames = ({ title }: { readonly title: string }) => (
  <>
    <h1>{title}</h1>
    <EmptyState title={t('jobs.mayNot')} />
  </>
);

const BackTo = ({ place, word }: { readonly place: string; readonly word: string }) => (
  <a class="back" href={hrefOf(place)}>
    <Icon name="back" />
    <span>{word}</span>
  </a>
);

const JobList = () => {
  const jobs = knownJobs.value;
  return (
    <>
      <BackTo place="frames?view=table" word={t('nav.frames')} />
      <div class="heading">
        <h1>{t('jobs.title')}</h1>
      </div>
      {jobs === undefined && <Loading />}
      {jobs?.length === 0 && (
        <EmptyState title={t('jobs.none')}>
          <p>{t('jobs.noneHint')}</p>
        </EmptyState>
      )}
      {jobs?.map((job) => (
        <section key={job.id} class="card" aria-label={nameOfJob(job)}>
          <JobProgress job={job} />
        </section>
      ))}
    </>
  );
};

const pageFrames = 200;

const JobPage = ({ id }: { readonly id: string }) => {
  const path = { organizationId: organizationId.value, jobId: id };
  const listed = knownJobs.value?.find((job) => job.id === id);
  const of = useResource<KnownJob>(
    (signal) => callApi('GET /organizations/{organizationId}/jobs/{jobId}', { path, signal }),
    [id],
  );
  const job = listed ?? of.value;
  const shown = useSignal(pageFrames);
  const frames = useResource<JobFrames>(
    (signal) => {
      const query = { limit: shown.value };
      return callApi('GET /organizations/{organizationId}/jobs/{jobId}/frames', { path, query, signal });
    },
    [id, shown.value, JSON.stringify(job?.frames)],
  );
  if (job === undefined) {
    return (
      <>
        <BackTo place="frames/jobs" word={t('jobs.title')} />
        <h1>{t('jobs.title')}</h1>
        <Reading of={of} />
      </>
    );
  }
  return (
    <>
      <BackTo place="frames/jobs" word={t('jobs.title')} />
      <div class="heading">
        <h1 dir="auto">{nameOfJob(job)}</h1>
      </div>
      <section class="card" aria-label={nameOfJob(job)}>
        <JobProgress job={job} hasLink={false} />
        <button type="button" onClick={() => void act(() => saveReport(job))}>
          {t('jobs.report')}
        </button>
      </section>
      <Card id="job-frames" title={t('jobs.frames')} of={frames}>
        <ul class="rows">
          {frames.value?.map((frame) => (
            <li key={frame.deviceId} class={frame.state === 'failed' ? 'bad' : undefined}>
              <a href={hrefOf(`frames/${frame.deviceId}`)}>{frame.name}</a>
              <span>{t(`jobs.item.${frame.state}`)}</span>
              {frame.reason !== null && <span class="note">{saidText(frame.reasons ?? [], frame.reason)}</span>}
            </li>
          ))}
        </ul>
        {(frames.value?.length ?? 0) >= shown.value && shown.value < maxPage && (
          <button
            type="button"
            onClick={() => {
              shown.value = maxPage;
            }}
          >
            {t('jobs.more')}
          </button>
        )}
      </Card>
    </>
  );
};

/** One answer has no more; all of them are in the report. */
const maxPage = 500;

async function saveReport(job: KnownJob): Promise<void> {
  const path = { organizationId: organizationId.peek(), jobId: job.id };
  await saveAnswer(await fetchApi('GET /organizations/{organizationId}/jobs/{jobId}/report/csv', { path }));
}
