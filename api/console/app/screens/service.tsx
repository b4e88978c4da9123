/** How the service is: its parts, firmware, numbers, what it keeps, who did what, and where programs look. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { apiBase } from '../base.ts';
import { followFleet } from '../fleet.ts';
import { type LiveChange, listen } from '../live.ts';
import { EmptyState } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { hrefOf } from '../router.ts';
import type { Screen } from '../screen.ts';
import { mayManage, mayWrite } from '../session.ts';
import { clockTime, fullTime } from '../times.ts';
import { t, tCode } from '../words.ts';
import { About } from './operating/about.tsx';
import { AuditLog } from './operating/audit.tsx';
import { Firmware } from './operating/firmware.tsx';
import { Health, Troubled } from './operating/health.tsx';
import { Numbers, useNumbers } from './operating/numbers.tsx';

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
      {mayWrite.value && <Firmware />}
      {mayManage.value && <OfAdmins />}
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

/** What admins see of the service itself, and who did what. */
const OfAdmins: ComponentType = () => {
  const read = useNumbers();
  return (
    <>
      <Numbers {...read} />
      <About stored={read.numbers.value?.stored} />
      <AuditLog />
    </>
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
