/** How the service is: each of its parts, and the frames in trouble, with what to do about it. */

import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { showsDetails } from '../ground/details.ts';
import { fleet } from '../ground/fleet.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { saidText } from '../ground/said.ts';
import { relativeTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { byTrouble, ownRemedy, troubleLine } from '../parts/frame-words.ts';
import { ProblemBox, Reading } from '../parts/states.tsx';

type StatusShown = AnswerOf<'GET /iotdevice/status/{kind}'>;

/** The parts in the order in which a person looks for the fault. */
const parts = ['api', 'database', 'gateway', 'mqtt', 'rendering', 'callbacks'] as const;
const lookEveryMs = 30_000;

/** The parts of the service. */
export const Health = () => {
  const health = useResource<StatusShown[]>(
    (signal) =>
      Promise.all(parts.map((part) => callApi('GET /iotdevice/status/{kind}', { path: { kind: part }, signal }))),
    [],
  );
  useEffect(() => {
    const timer = setInterval(() => void health.reload(), lookEveryMs);
    return () => clearInterval(timer);
  }, []);
  if (health.value === undefined) return <Reading of={health} />;
  const isWell = health.value.every(({ status }) => status === 'ok');
  const since = Date.now() - (health.value[0]?.uptimeSeconds ?? 0) * 1000;
  return (
    <Card id="health" title={t('service.health')} hint={t('service.since', { when: relativeTime(since) })}>
      {health.problem !== undefined && <ProblemBox problem={health.problem} />}
      {isWell && <p>{t('service.allWorks')}</p>}
      <Parts of={health.value} isFolded={isWell && !showsDetails.value} />
    </Card>
  );
};

interface PartsProps {
  readonly of: readonly StatusShown[];
  /** Whether they are folded behind a summary, because none of them needs attention. */
  readonly isFolded: boolean;
}

const Parts = ({ of, isFolded }: PartsProps) => (
  <details open={!isFolded}>
    <summary>{t('details.title')}</summary>
    <ul class="rows">
      {of.map(({ kind, status, reason, reasons, note, notes }) => (
        <li key={kind} class={status === 'ok' ? '' : status === 'down' ? 'bad' : 'meagre'}>
          <span>
            <strong>{tCode('part', kind)}:</strong> {tCode('health', status)}
          </span>
          {reason !== undefined && <span>{saidText(reasons, reason)}</span>}
          {note !== undefined && <span class="note">{saidText(notes, note)}</span>}
          {status !== 'ok' && <span class="note">{tCode('remedy', kind)}</span>}
        </li>
      ))}
    </ul>
  </details>
);

const maxTroubled = 20;

/** The frames in trouble, each with what to do. */
export const Troubled = () => {
  const troubled = [...fleet.value.values()].filter(({ trouble }) => trouble !== null).sort(byTrouble);
  return (
    <Card id="troubled" title={t('service.troubled')}>
      {troubled.length === 0 && <p class="note">{t('frames.allWell')}</p>}
      <ul class="rows">
        {troubled.slice(0, maxTroubled).map((device) => (
          <li key={device.id}>
            <a href={hrefOf(`frames/${device.id}`)}>{device.name === '' ? t('frame.noName') : device.name}</a>
            <span>{troubleLine(device)}</span>
            {device.trouble !== null && (
              <span class="note wide">{ownRemedy(device) ?? tCode('frameRemedy', device.trouble.code)}</span>
            )}
          </li>
        ))}
      </ul>
      {troubled.length > maxTroubled && (
        <a href={hrefOf('frames?show=trouble')}>{t('service.allTroubled', { count: troubled.length })}</a>
      )}
    </Card>
  );
};
