/** How the service is: each of its parts with what to do about it, what changed lately, and where programs look. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { StatusShown } from '../../../status/routes.ts';
import { apiBase } from '../base.ts';
import { callApi } from '../call-api.ts';
import { fleet, followFleet } from '../fleet.ts';
import { byTrouble, troubleLine } from '../frame-words.ts';
import { type LiveChange, listen } from '../live.ts';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { useResource } from '../resource.ts';
import { hrefOf } from '../router.ts';
import type { Screen } from '../screen.ts';
import { clockTime, fullTime, relativeTime } from '../times.ts';
import { t, tCode } from '../words.ts';

/** The parts in the order in which a person looks for the fault. */
const parts = ['api', 'database', 'gateway', 'mqtt', 'rendering', 'callbacks'] as const;
const lookEveryMs = 30_000;

/** The service's page. */
export const Service: Screen = () => {
  useTitle(t('nav.service'));
  useEffect(followFleet, []);
  return (
    <>
      <div class="heading">
        <h1>{t('nav.service')}</h1>
      </div>
      <Health />
      <Troubled />
      <Happening />
      <section class="card" aria-labelledby="programs">
        <h2 id="programs">{t('service.programs')}</h2>
        <p>
          <a href={hrefOf('api')}>{t('service.api')}</a> · <a href={`${apiBase}openapi.json`}>openapi.json</a>
        </p>
      </section>
    </>
  );
};

const Health: ComponentType = () => {
  const health = useResource<StatusShown[]>(
    (signal) => Promise.all(parts.map((part) => callApi<StatusShown>(`/iotdevice/status/${part}`, { signal }))),
    [],
  );
  useEffect(() => {
    const timer = setInterval(() => void health.reload(), lookEveryMs);
    return () => clearInterval(timer);
  }, []);
  if (health.value === undefined) {
    return health.problem === undefined ? (
      <Loading />
    ) : (
      <ProblemBox problem={health.problem} again={() => void health.reload()} />
    );
  }
  const since = Date.now() - (health.value[0]?.uptimeSeconds ?? 0) * 1000;
  return (
    <section class="card" aria-labelledby="health">
      <h2 id="health">{t('service.health')}</h2>
      <p class="note">{t('service.since', { when: relativeTime(since) })}</p>
      {health.problem !== undefined && <ProblemBox problem={health.problem} />}
      <ul class="rows">
        {health.value.map(({ kind, status, reason, note }) => (
          <li key={kind} class={status === 'ok' ? '' : status === 'down' ? 'bad' : 'meagre'}>
            <span>
              <strong>{tCode('part', kind)}:</strong> {tCode('health', status)}
            </span>
            {reason !== undefined && <span>{reason}</span>}
            {note !== undefined && <span class="note">{note}</span>}
            {status !== 'ok' && <span class="note">{tCode('remedy', kind)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Troubled: ComponentType = () => {
  const troubled = [...fleet.value.values()].filter(({ trouble }) => trouble !== null).sort(byTrouble);
  const most = 20;
  return (
    <section class="card" aria-labelledby="troubled">
      <h2 id="troubled">{t('service.troubled')}</h2>
      {troubled.length === 0 && <p class="note">{t('frames.allWell')}</p>}
      <ul class="rows">
        {troubled.slice(0, most).map((device) => (
          <li key={device.id}>
            <a href={hrefOf(`frames/${device.id}`)}>{device.name === '' ? t('frame.noName') : device.name}</a>
            <span>{troubleLine(device)}</span>
          </li>
        ))}
      </ul>
      {troubled.length > most && (
        <a href={hrefOf('frames?show=trouble')}>{t('service.allTroubled', { count: troubled.length })}</a>
      )}
    </section>
  );
};

interface Happened {
  readonly id: string;
  readonly at: string;
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly deviceId: string;
}

const mostHappened = 50;

/** What the stream told since this page was opened. */
const Happening: ComponentType = () => {
  const happened = useSignal<readonly Happened[]>([]);
  useEffect(() => {
    const note = ({ data }: LiveChange): void => {
      const { id, at, name, type, deviceId, payload } = data as Partial<Happened> & { payload?: { state?: unknown } };
      if (id === undefined || at === undefined || type === undefined || deviceId === undefined) return;
      if (happened.peek().some((one) => one.id === id)) return;
      const state = typeof payload?.state === 'string' ? payload.state : '';
      happened.value = [{ id, at, name: name ?? '', type, state, deviceId }, ...happened.peek()].slice(0, mostHappened);
    };
    return listen(note);
  }, []);
  return (
    <section class="card" aria-labelledby="happening">
      <h2 id="happening">{t('service.happening')}</h2>
      {happened.value.length === 0 && <EmptyState title={t('service.quiet')} />}
      <ul class="rows">
        {happened.value.map(({ id, at, name, type, state, deviceId }) => (
          <li key={id}>
            <a href={hrefOf(`frames/${deviceId}`)}>{name}</a>
            <span>{[tCode('event', type), state].filter(Boolean).join(': ')}</span>
            <time class="note" dateTime={at} title={fullTime(at)}>
              {clockTime(at)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  );
};
