/** How the service is: its parts, firmware, numbers, what it keeps, who did what, and where programs look. */
import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { apiBase } from '../ground/base.ts';
import { followFleet } from '../ground/fleet.ts';
import { type LiveChange, listen } from '../ground/live.ts';
import { hrefOf } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayManage, mayWrite } from '../ground/session.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { type TextKey, t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { EmptyState, MissingScreen } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { About } from './about.tsx';
import { Alerts } from './alerts.tsx';
import { AuditLog } from './audit.tsx';
import { Backup } from './backup.tsx';
import { Firmware } from './firmware.tsx';
import { Health, Troubled } from './health.tsx';
import { ServiceLevel } from './level.tsx';
import { Numbers, useNumbers } from './numbers.tsx';
import { RecordOfAll } from './record.tsx';

interface Part {
  /** The address below `service`; empty for the first. */
  readonly name: string;
  readonly label: TextKey;
  readonly mayRead: ReadonlySignal<boolean>;
}

/** The parts of the page; anyone who may read one part alone sees no list of them. */
const parts: readonly Part[] = [
  { name: '', label: 'service.health', mayRead: signal(true) },
  { name: 'firmware', label: 'fleetFirmware.title', mayRead: mayWrite },
  { name: 'numbers', label: 'service.numbers', mayRead: mayManage },
  { name: 'record', label: 'record.title', mayRead: mayWrite },
  { name: 'alerts', label: 'alerts.title', mayRead: mayManage },
  { name: 'log', label: 'audit.title', mayRead: mayManage },
];

/** The service's pages. What happens is noted while any of them is open. */
export const Service: Screen = ({ rest: [name = ''] }) => {
  const readable = parts.filter(({ mayRead }) => mayRead.value);
  const shown = readable.find((part) => part.name === name)?.name;
  const happened = useHappened();
  useTitle(t('nav.service'));
  useEffect(followFleet, []);
  if (shown === undefined) return <MissingScreen />;
  return (
    <>
      <div class="heading">
        <h1>{t('nav.service')}</h1>
      </div>
      {readable.length > 1 && <Parts readable={readable} shown={shown} />}
      {shown === 'firmware' && <Firmware />}
      {shown === 'numbers' && <NumbersAndSizes />}
      {shown === 'record' && <RecordOfAll />}
      {shown === 'alerts' && <Alerts />}
      {shown === 'log' && <AuditLog />}
      {shown === '' && <HealthAndNews happened={happened} />}
    </>
  );
};

const Parts = ({ readable, shown }: { readonly readable: readonly Part[]; readonly shown: string }) => (
  <nav class="parts" aria-label={t('service.parts')}>
    {readable.map(({ name, label }) => (
      <a
        key={name}
        href={hrefOf(name === '' ? 'service' : `service/${name}`)}
        aria-current={name === shown ? 'page' : undefined}
      >
        {t(label)}
      </a>
    ))}
  </nav>
);

const HealthAndNews = ({ happened }: { readonly happened: readonly Happened[] }) => (
  <>
    <Health />
    <Troubled />
    {mayWrite.value && <ServiceLevel />}
    <Happening happened={happened} />
    {mayManage.value && <Backup />}
    <Card id="programs" title={t('service.programs')}>
      <p>
        <a href={hrefOf('api')}>{t('service.api')}</a> · <a href={`${apiBase}openapi.json`}>openapi.json</a>
        {mayWrite.value && (
          <>
            {' '}
            · <a href={hrefOf('people?keys')}>{t('keys.title')}</a>
          </>
        )}
      </p>
    </Card>
  </>
);

/** The numbers of the last day, and what is kept. */
const NumbersAndSizes = () => {
  const read = useNumbers();
  return (
    <>
      <Numbers {...read} />
      <About stored={read.numbers.value?.stored} />
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

const maxHappened = 50;

/** Returns the events that the stream sent since the page was opened. */
function useHappened(): readonly Happened[] {
  const happened = useSignal<readonly Happened[]>([]);
  useEffect(() => {
    const note = ({ data }: LiveChange): void => {
      const { id, at, name, type, deviceId, payload } = data as Partial<Happened> & { payload?: { state?: unknown } };
      if (id === undefined || at === undefined || type === undefined || deviceId === undefined) return;
      if (happened.peek().some((one) => one.id === id)) return;
      const state = typeof payload?.state === 'string' ? payload.state : '';
      happened.value = [{ id, at, name: name ?? '', type, state, deviceId }, ...happened.peek()].slice(0, maxHappened);
    };
    return listen(note);
  }, []);
  return happened.value;
}

const Happening = ({ happened }: { readonly happened: readonly Happened[] }) => (
  <Card id="happening" title={t('service.happening')}>
    {happened.length === 0 && <EmptyState title={t('service.quiet')} />}
    <ul class="rows">
      {happened.map(({ id, at, name, type, state, deviceId }) => (
        <li key={id}>
          <a href={hrefOf(`frames/${deviceId}`)}>{name}</a>
          <span>{[tCode('event', type), state].filter(Boolean).join(': ')}</span>
          <time class="note" dateTime={at} title={fullTime(at)}>
            {clockTime(at)}
          </time>
        </li>
      ))}
    </ul>
  </Card>
);
