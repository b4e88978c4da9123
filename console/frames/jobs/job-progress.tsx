/** How far a job is, and what may be done with it. */
import { hrefOf } from '../../ground/router.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { act } from '../../parts/messages.tsx';
import { type JobSteering, type KnownJob, steerKnownJob } from './known-jobs.ts';

/** Returns the name of a job: the given one, else what it changes. */
export const nameOfJob = ({ name, kind }: KnownJob): string => (name === '' ? t(`several.${kind}`) : name);

const settled = ({ frames }: KnownJob): number =>
  frames.proven + frames.failed + frames.left + frames['rolled-back'] + frames.kept;

/** The ways that are open in each state. */
const ways: Readonly<Record<KnownJob['state'], readonly JobSteering[]>> = {
  running: ['pause', 'cancel', 'undo'],
  paused: ['resume', 'cancel', 'undo'],
  finished: ['undo'],
  cancelled: ['undo'],
  failed: ['undo'],
  undoing: [],
  undone: [],
};

/** Draws a job with its progress; its name alone where it leads to the page of the job. */
export const JobProgress = ({ job, hasLink = true }: { readonly job: KnownJob; readonly hasLink?: boolean }) => {
  const { id, state, frames, total, reason, reasons } = job;
  const [name, hasUndo] = [nameOfJob(job), job.handed > 0 && job.kind !== 'firmware'];
  return (
    <div class="run">
      <p>
        {hasLink && (
          <strong>
            <a href={hrefOf(`frames/jobs/${id}`)}>{name}</a>
          </strong>
        )}{' '}
        <span class="note">
          {t(`jobs.state.${state}`)} · {job.author} ·{' '}
          <time dateTime={job.createdAt} title={fullTime(job.createdAt)}>
            {clockTime(job.createdAt)}
          </time>
        </span>
      </p>
      {!job.isOver && <progress value={settled(job)} max={total} aria-label={name} />}
      <p role="status">{progressLine(job)}</p>
      {reason !== null && <p class="bad">{saidText(reasons ?? [], reason)}</p>}
      {frames.failed > 0 && <p class="bad">{t('jobs.failed', { count: frames.failed })}</p>}
      <div class="actions">
        {ways[state]
          .filter((way) => way !== 'undo' || hasUndo)
          .map((way) => (
            <button key={way} type="button" onClick={() => void act(() => steerKnownJob(id, way))}>
              {t(`jobs.${way}`)}
            </button>
          ))}
      </div>
    </div>
  );
};

function progressLine({ frames, total, state, skipped }: KnownJob): string {
  // A frame that had it already is as it was before.
  const back = frames['rolled-back'] + skipped;
  if (state === 'undoing' || state === 'undone') return t('jobs.back', { done: back, count: total });
  const had = frames.given + frames.proven;
  const line = t('jobs.line', { done: had, proven: frames.proven, count: total });
  return skipped === 0 ? line : `${line} ${t('jobs.had', { count: skipped })}`;
}
