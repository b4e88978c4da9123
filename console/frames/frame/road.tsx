/** The road of the newest picture: every step with its time, and what it waits for. */

import type { ComponentType } from 'preact';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { saidText } from '../../ground/said.ts';
import { mayWrite } from '../../ground/session.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { setUpPaper, whenLine, whyLine } from '../../parts/frame-words.ts';

type WhyShown = AnswerOf<'GET /devices/why/{deviceId}'>;

const steps = ['accepted', 'rendered', 'offered', 'announced', 'fetched', 'shown', 'confirmed'] as const;

type LoggedUpload = AnswerOf<'GET /devices/upload-logs/{deviceId}'>['results'][number];

interface RoadRead {
  readonly why: WhyShown;
  readonly log: readonly LoggedUpload[];
}

const loggedUploads = 12;

/** Draws the road, and below it the uploads before. */
export const Road: ComponentType<{ readonly id: string; readonly version: number }> = ({ id, version }) => {
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

const RoadShown: ComponentType<RoadRead> = ({ why: known, log }) => {
  const { why, lastFailure, remark, remarks } = known;
  const setUpId = setUpPaper(why, known.paper);
  const isNothing = steps.every((step) => known[step] === null);
  // Steps may be skipped: a frame that comes by itself is not told beforehand.
  const last = steps.findLastIndex((step) => known[step] !== null);
  return (
    <>
      {isNothing && <p class="note">{t('one.roadEmpty')}</p>}
      {!isNothing && (
        <ol class="road">
          {steps.map((step, index) => (
            <RoadStep key={step} step={step} at={known[step]} isNext={index === last + 1} isPast={index < last} />
          ))}
        </ol>
      )}
      {why !== null && (
        <p class={why.code === 'not-set-up' || why.code === 'begins-later' ? 'note' : 'warn'}>
          {whyLine(why)} {whenLine(why)}
          {setUpId !== null && mayWrite.value && <a href={hrefOf(`papers/${setUpId}`)}>{t('road.setUp')}</a>}
        </p>
      )}
      {remark !== null && <p class="note">{saidText(remarks, remark)}</p>}
      {known.panelTrouble !== null && <p class="warn">{known.panelTrouble}</p>}
      {lastFailure !== null && (
        <p class="note">
          {t('one.lastFailure', {
            when: clockTime(lastFailure.at),
            reason: saidText(lastFailure.reasons, lastFailure.reason),
          })}
        </p>
      )}
      {log.length > 0 && <Uploads log={log} />}
    </>
  );
};

interface StepProps {
  readonly step: (typeof steps)[number];
  readonly at: string | null;
  readonly isNext: boolean;
  readonly isPast: boolean;
}

const RoadStep: ComponentType<StepProps> = ({ step, at, isNext, isPast }) => (
  <li
    class={at !== null ? 'done' : isNext ? 'next' : isPast ? 'skipped' : ''}
    aria-current={isNext ? 'step' : undefined}
  >
    <span>{t(`road.${step}`)}</span>
    {at === null ? (
      <span class="note">{isPast ? t('road.unsaid') : t('road.waits')}</span>
    ) : (
      <time dateTime={at} title={fullTime(at)}>
        {clockTime(at)}
      </time>
    )}
  </li>
);

const Uploads: ComponentType<{ readonly log: readonly LoggedUpload[] }> = ({ log }) => (
  <details>
    <summary>{t('one.uploads')}</summary>
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
  </details>
);
