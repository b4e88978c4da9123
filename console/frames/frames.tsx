/** All frames, those that need a person first: as pictures on a wall, or as a table for those who care for many. */
import { useEffect } from 'preact/hooks';
import { fleet, fleetState, followFleet, loadFleet } from '../ground/fleet.ts';
import { hrefOf, query, setQuery } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { useDue } from '../parts/due-list.tsx';
import { SearchChoice } from '../parts/forms/search-choice.tsx';
import { WindowGrid } from '../parts/forms/window-grid.tsx';
import { FrameCard, sizeOfFrame } from '../parts/frame-card.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { NoFrames } from './no-frames.tsx';
import { FirstSteps } from './steps/first-steps.tsx';
import { type Column, columns, columnTitles, readOrder, writeOrder } from './table/columns.ts';
import { filters, foundFrames, knownPlaces, passes, placeDepths } from './table/found-frames.ts';
import { FrameTable } from './table/frame-table.tsx';
import { SeveralBar } from './table/several-bar.tsx';

/** The frames page. */
export const Frames: Screen = () => {
  useTitle(t('nav.frames'));
  useEffect(followFleet, []);
  const { isLoaded, problem } = fleetState.value;
  if (problem !== undefined && !isLoaded) return <ProblemBox problem={problem} again={() => void loadFleet()} />;
  if (!isLoaded && fleet.value.size === 0) return <Loading />;
  if (fleet.value.size === 0) return <NoFrames />;
  const isTable = query.value.get('view') === 'table';
  return (
    <>
      <FirstSteps />
      <Heading />
      {hasControls() && <Controls isTable={isTable} />}
      {isTable && mayWrite.value && (
        <p class="actions">
          <a class="button" href={hrefOf('frames/jobs')}>
            {t('jobs.all')}
          </a>
          <a class="button" href={hrefOf('frames/groups')}>
            {t('groups.title')}
          </a>
        </p>
      )}
      {foundFrames.value.length === 0 && <EmptyState title={t('frames.noneFound')} />}
      {isTable ? <FrameTable /> : <Wall />}
      {isTable && mayWrite.value && <SeveralBar />}
    </>
  );
};

/** The height of a card by the frames that hang: where none stands upright, no wall needs to be as high. */
const cardHeights = { withTall: 448, wideOnly: 352 } as const;
/** One or two frames have the wall to themselves: a person who owns no others sees their pictures large. */
const largeHeights: readonly number[] = [0, 560, 448];

const Wall = () => {
  useDue();
  const frames = foundFrames.value;
  const hasTall = frames.some((device) => sizeOfFrame(device)[1] > sizeOfFrame(device)[0]);
  const height = hasTall ? cardHeights.withTall : cardHeights.wideOnly;
  return (
    <WindowGrid
      items={frames}
      cell={{ minWidth: 290, height: largeHeights[fleet.value.size] ?? height, narrowHeight: height }}
      maxColumns={fleet.value.size}
      keyOf={({ id }) => id}
      draw={(device) => <FrameCard device={device} />}
      label={t('nav.frames')}
    />
  );
};

const Heading = () => {
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

/** Whether the address asks for some of the frames, or for the table. */
const isAskedFor = (): boolean => ['search', 'show', 'view'].some((name) => query.value.has(name));

/** With a single frame there is nothing to search, unless the address contains a search. */
const hasControls = (): boolean => fleet.value.size > 1 || isAskedFor();

/**
 * On a phone, people scroll through this many pictures without a search field, which would only push the first one
 * down.
 */
const dozen = 12;

const isSearchedLittle = (): boolean => fleet.value.size <= dozen && !isAskedFor();

const Controls = ({ isTable }: { readonly isTable: boolean }) => (
  <search class={isSearchedLittle() ? 'controls little' : 'controls'}>
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
        checked={isTable}
        onChange={(event) => setQuery({ view: event.currentTarget.checked ? 'table' : undefined })}
      />
      <span>{t('frames.asTable')}</span>
    </label>
    {(isTable || fleet.value.size > fewFrames) && <Arrangement isTable={isTable} />}
  </search>
);

/** With no more frames than these, a person sees all of them in any order. */
const fewFrames = 8;

/** The order, the grouping and the place of the frames that are shown. */
const Arrangement = ({ isTable }: { readonly isTable: boolean }) => {
  const order = readOrder(query.value.get('sort'));
  const hasPlaces = knownPlaces.value.length > 0;
  return (
    <div class="frame-tools">
      <label>
        <span class="visually-hidden">{t('frames.sortBy')}</span>
        <select
          value={order.column}
          onChange={(event) =>
            setQuery({ sort: writeOrder({ column: event.currentTarget.value as Column, isReversed: false }) })
          }
        >
          {columns.map((column) => (
            <option key={column} value={column}>
              {t('frames.sortedBy', { column: t(columnTitles[column]) })}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-label={t('frames.reverse')}
        aria-pressed={order.isReversed}
        onClick={() => setQuery({ sort: writeOrder({ ...order, isReversed: !order.isReversed }) })}
      >
        <span aria-hidden="true">{order.isReversed ? '↓' : '↑'}</span>
      </button>
      {isTable && hasPlaces && (
        <label>
          <span class="visually-hidden">{t('frames.groupBy')}</span>
          <select
            value={query.value.get('group') ?? ''}
            onChange={(event) => setQuery({ group: event.currentTarget.value })}
          >
            <option value="">{t('frames.noGroups')}</option>
            {(Object.keys(placeDepths) as (keyof typeof placeDepths)[]).map((depth) => (
              <option key={depth} value={depth}>
                {t(`frames.groups.${depth}`)}
              </option>
            ))}
          </select>
        </label>
      )}
      {hasPlaces && (
        <SearchChoice
          class="inline"
          label={t('frames.onlyPlace')}
          value={bound(query.value.get('place') ?? '', (place) => setQuery({ place }))}
          choices={[{ value: '', word: t('frames.everyPlace') }, ...knownPlaces.value]}
        />
      )}
    </div>
  );
};
