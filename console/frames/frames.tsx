/** All frames, those that need a person first. */
import { useComputed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { type FleetDevice, fleet, fleetState, followFleet, loadFleet } from '../ground/fleet.ts';
import { hrefOf, query, setQuery } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { FrameCard } from '../parts/frame-card.tsx';
import { batteryLine, byTrouble, frameLine, signalLine, troubleLine, wakeLine } from '../parts/frame-words.ts';
import { SimulatedMark } from '../parts/simulated-mark.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { WindowGrid } from '../parts/window-grid.tsx';
import { NoFrames } from './no-frames.tsx';
import { FirstSteps } from './steps/first-steps.tsx';

const filters = ['all', 'trouble', 'due', 'battery'] as const;

const passes: Readonly<Record<(typeof filters)[number], (device: FleetDevice) => boolean>> = {
  all: () => true,
  trouble: ({ trouble }) => trouble !== null,
  due: ({ due }) => due !== null,
  battery: ({ trouble, battery }) => trouble?.code.startsWith('battery') === true || (battery?.percent ?? 100) < 25,
};

/** The frames page. */
export const Frames: Screen = () => {
  useTitle(t('nav.frames'));
  useEffect(followFleet, []);
  const shown = useComputed(() => {
    const filter = filters.find((name) => name === query.value.get('show')) ?? 'all';
    const words = (query.value.get('search') ?? '').toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const all = [...fleet.value.values()].filter(passes[filter]);
    const found =
      words.length === 0 ? all : all.filter((device) => words.every((word) => textOf(device).includes(word)));
    return found.sort(byTrouble);
  });
  const { isLoaded, problem } = fleetState.value;
  if (problem !== undefined && !isLoaded) return <ProblemBox problem={problem} again={() => void loadFleet()} />;
  if (!isLoaded && fleet.value.size === 0) return <Loading />;
  if (fleet.value.size === 0) return <NoFrames />;
  const isTable = query.value.get('view') === 'table';
  return (
    <>
      <FirstSteps />
      <Heading />
      <Controls />
      {shown.value.length === 0 && <EmptyState title={t('frames.noneFound')} />}
      {isTable ? (
        <FrameTable devices={shown.value} />
      ) : (
        <WindowGrid
          items={shown.value}
          cell={{ minWidth: 290, height: 356 }}
          keyOf={({ id }) => id}
          draw={(device) => <FrameCard device={device} />}
          label={t('nav.frames')}
        />
      )}
    </>
  );
};

const textOf = ({ name, serial, paper, kind }: FleetDevice): string =>
  `${name} ${serial ?? ''} ${paper?.title ?? ''} ${kind ?? ''}`.toLocaleLowerCase();

const Heading: ComponentType = () => {
  const all = [...fleet.value.values()];
  const troubled = all.filter(passes.trouble).length;
  return (
    <div class="heading">
      <h1>{t('nav.frames')}</h1>
      <p class="note">
        {t('frames.count', { count: all.length })}{' '}
        {troubled === 0 ? t('frames.allWell') : t('frames.troubled', { count: troubled })}
      </p>
      {mayWrite.value && (
        <a class="button" href={hrefOf('frames/add')}>
          {t('frames.add')}
        </a>
      )}
    </div>
  );
};

const Controls: ComponentType = () => (
  <search class="controls">
    <input
      type="search"
      aria-label={t('frames.search')}
      placeholder={t('frames.search')}
      value={query.value.get('search') ?? ''}
      onInput={(event) => setQuery({ search: event.currentTarget.value })}
    />
    <fieldset class="choice">
      <legend class="visually-hidden">{t('frames.filter')}</legend>
      {filters.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="show"
            checked={(query.value.get('show') ?? 'all') === name}
            onChange={() => setQuery({ show: name === 'all' ? undefined : name })}
          />
          <span>{t(`frames.filter.${name}`)}</span>
        </label>
      ))}
    </fieldset>
    <label class="check">
      <input
        type="checkbox"
        checked={query.value.get('view') === 'table'}
        onChange={(event) => setQuery({ view: event.currentTarget.checked ? 'table' : undefined })}
      />
      <span>{t('frames.asTable')}</span>
    </label>
  </search>
);

const FrameTable: ComponentType<{ readonly devices: readonly FleetDevice[] }> = ({ devices }) => (
  <div class="frame-table">
    <div class="frame-row head" aria-hidden="true">
      <span>{t('frames.name')}</span>
      <span>{t('frames.state')}</span>
      <span>{t('frames.wake')}</span>
      <span>{t('frames.batteryColumn')}</span>
      <span>{t('frames.signalColumn')}</span>
    </div>
    <WindowGrid
      items={devices}
      cell={{ minWidth: 100_000, height: 44, narrowHeight: 88 }}
      keyOf={({ id }) => id}
      draw={(device) => (
        <a class={`frame-row ${device.trouble?.level ?? ''}`} href={hrefOf(`frames/${device.id}`)}>
          <span>
            {device.name === '' ? t('frame.noName') : device.name}
            <SimulatedMark device={device} />
          </span>
          <span>{troubleLine(device) ?? frameLine(device)}</span>
          <span>{wakeLine(device)}</span>
          <span>{batteryLine(device)}</span>
          <span>{signalLine(device)}</span>
        </a>
      )}
      label={t('nav.frames')}
    />
  </div>
);
