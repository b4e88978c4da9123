/** The road of the newest picture: every step with its time, and what it waits for. */

import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { showsDetails } from '../../ground/details.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { saidText } from '../../ground/said.ts';
import { mayWrite } from '../../ground/session.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { DataAges } from '../../parts/data-ages.tsx';
import { isOnItsWay, setUpPaper, whyLine } from '../../parts/frame-words.ts';
import { WakesFor } from './wakes-for.tsx';

type WhyShown = AnswerOf<'GET /devices/why/{deviceId}'>;

const steps = ['accepted', 'rendered', 'offered', 'announced', 'fetched', 'shown', 'confirmed'] as const;

type LoggedUpload = AnswerOf<'GET /devices/upload-logs/{deviceId}'>['results'][number];

interface RoadRead {
  readonly why: WhyShown;
  readonly log: readonly LoggedUpload[];
}

const loggedUploads = 12;

/** Draws the road, and below it the uploads before. */
export const Road = ({ id, version }: { readonly id: string; readonly version: number }) => {
  const road = useResource<RoadRead>(
    async (signal) => {
      const [why, log] = await Promise.all([
        callApi('GET /devices/why/{deviceId}', { path: { deviceId: id }, signal }),
        callApi('GET /devices/upload-logs/{deviceId}', {
          path: { deviceId: id },
          query: { limit: loggedUploads },
          signal,
        }),
      ]);
      return { why, log: log.results };
    },
    [id, version],
  );
  return (
    <Card id="road" title={t('one.road')} of={road} isQuiet>
      {road.value !== undefined && <RoadShown {...road.value} />}
    </Card>
  );
};

/** The stages that a person follows, each by the step of the road with which it ends. */
const stages = { arrived: 'accepted', prepared: 'offered', fetched: 'fetched', wall: 'confirmed' } as const;

const RoadShown = ({ why: known, log }: RoadRead) => {
  const { why, lastFailure, remark, remarks } = known;
  const setUpId = setUpPaper(why, known.paper);
  // Steps may be skipped: a frame that comes by itself is not notified beforehand.
  const last = steps.findLastIndex((step) => known[step] !== null);
  return (
    <>
      {last === -1 ? <p class="note">{t('one.roadEmpty')}</p> : <RoadBar last={last} />}
      {why !== null && !isOnItsWay(why) && (
        <p class={['not-set-up', 'begins-later'].includes(why.code) ? 'note' : 'warn'}>
          {whyLine(why)}{' '}
          {setUpId !== null && mayWrite.value && <a href={hrefOf(`papers/${setUpId}`)}>{t('road.setUp')}</a>}
        </p>
      )}
      {remark !== null && <p class="note">{saidText(remarks, remark)}</p>}
      <WakesFor wakesFor={known.wakesFor} />
      <DataAges sources={known.sources} glassSources={known.glassSources} />
      {known.panelTrouble !== null && <p class="warn">{known.panelTrouble}</p>}
      {lastFailure !== null && (
        <p class="note">
          {t('one.lastFailure', {
            when: clockTime(lastFailure.at),
            reason: saidText(lastFailure.reasons, lastFailure.reason),
          })}
        </p>
      )}
      {(last !== -1 || log.length > 0) && (
        <details open={showsDetails.value}>
          <summary>{t('details.title')}</summary>
          {last !== -1 && <RoadTimes known={known} last={last} />}
          {log.length > 0 && <Uploads log={log} />}
        </details>
      )}
    </>
  );
};

/** The way in four stages, as far as it is done. */
const RoadBar = ({ last }: { readonly last: number }) => {
  const names = Object.keys(stages) as (keyof typeof stages)[];
  const next = names.find((name) => steps.indexOf(stages[name]) > last);
  return (
    <ol class="road-bar">
      {names.map((name) => {
        const isDone = steps.indexOf(stages[name]) <= last;
        return (
          <li key={name} class={isDone ? 'done' : ''} aria-current={name === next ? 'step' : undefined}>
            {t(`stages.${name}`)}
            {isDone && <span class="visually-hidden">{t('stages.done')}</span>}
          </li>
        );
      })}
    </ol>
  );
};

/** Every step that was taken or is still to come, with its time. */
const RoadTimes = ({ known, last }: { readonly known: WhyShown; readonly last: number }) => (
  <ol class="road">
    {steps.map((step, index) => {
      const at = known[step];
      if (at === null && index < last) return null;
      return (
        <li key={step} class={at !== null ? 'done' : index === last + 1 ? 'next' : ''}>
          <span>{t(`road.${step}`)}</span>
          {at === null ? (
            <span class="note">{t('road.waits')}</span>
          ) : (
            <time dateTime={at} title={fullTime(at)}>
              {clockTime(at)}
            </time>
          )}
        </li>
      );
    })}
  </ol>
);

const Uploads = ({ log }: { readonly log: readonly LoggedUpload[] }) => (
  <>
    <h3>{t('one.uploads')}</h3>
    <ul class="rows">
      {log.map(({ attemptId, trigger, status, startedAt, failures }) => (
        <li key={attemptId}>
          <span>{tCode('trigger', trigger)}</span>
          <span class="note">{tCode('attempt', status)}</span>
          <time class="note" dateTime={startedAt} title={fullTime(startedAt)}>
            {clockTime(startedAt)}
          </time>
          {failures.map(({ message }) => (
            <span class="note wide" key={message}>
              {message}
            </span>
          ))}
        </li>
      ))}
    </ul>
  </>
);
