/** All frames as a table, for those who care for many: sorted by any column, in groups by place, several chosen at once. */
import { useComputed } from '@preact/signals';
import type { FleetDevice } from '../../ground/fleet.ts';
import { hrefOf, query, setQuery } from '../../ground/router.ts';
import { mayWrite } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { useDue } from '../../parts/due-list.tsx';
import { WindowGrid } from '../../parts/forms/window-grid.tsx';
import { nameOfFrame } from '../../parts/frame-card.tsx';
import { SimulatedMark } from '../../parts/simulated-mark.tsx';
import { chooseFrames, chooseUpTo, isChosen } from './chosen-frames.ts';
import { type Column, cellText, columnClasses, columnTitles, readOrder, tableColumns, writeOrder } from './columns.ts';
import { foundFrames, knownPlaces, type PlaceDepth, placeDepths } from './found-frames.ts';
import { fold, foldedGroups, groupsOf, type PlaceGroup, rowsOf, type TableRow } from './place-groups.ts';

const keyOfRow = (row: TableRow): string => ('group' in row ? `place ${row.group.key}` : row.device.id);

/** How deep the table groups, by the address; undefined for no groups. */
const groupDepth = (): PlaceDepth | undefined =>
  (Object.keys(placeDepths) as PlaceDepth[]).find((name) => name === query.value.get('group'));

/** Draws the table. */
export const FrameTable = () => {
  useDue();
  const rows = useComputed<TableRow[]>(() => {
    const depth = groupDepth();
    if (depth === undefined) return foundFrames.value.map((device) => ({ device }));
    return rowsOf(groupsOf(foundFrames.value, depth), foldedGroups.value);
  });
  const shown = useComputed(() => rows.value.flatMap((row) => ('device' in row ? [row.device] : [])));
  return (
    <table
      class={`frame-table ${mayWrite.value ? 'may-choose' : ''} ${knownPlaces.value.length > 0 ? 'has-places' : ''}`}
      aria-label={t('nav.frames')}
      aria-rowcount={rows.value.length + 1}
    >
      <Head />
      <WindowGrid
        items={rows.value}
        cell={{ minWidth: 100_000, height: 56, narrowHeight: 108 }}
        keyOf={keyOfRow}
        draw={(row) =>
          'group' in row ? <GroupRow group={row.group} /> : <FrameRow device={row.device} among={shown.value} />
        }
        label={t('nav.frames')}
        rowClass={(row) => ('group' in row ? 'group-row' : `frame-row ${row.device.trouble?.level ?? ''}`)}
      />
    </table>
  );
};

const Head = () => {
  const order = readOrder(query.value.get('sort'));
  const sortBy = (column: Column): void =>
    setQuery({ sort: writeOrder({ column, isReversed: column === order.column && !order.isReversed }) });
  const found = foundFrames.value;
  const chosenCount = found.filter(({ id }) => isChosen(id)).length;
  return (
    <thead class="table-head">
      <tr aria-rowindex={1} class="frame-row">
        {mayWrite.value && (
          <td class="cell-choice">
            <input
              type="checkbox"
              aria-label={t('several.all', { count: found.length })}
              title={t('several.all', { count: found.length })}
              checked={chosenCount > 0 && chosenCount === found.length}
              ref={(box) => {
                if (box !== null) box.indeterminate = chosenCount > 0 && chosenCount < found.length;
              }}
              onChange={(event) => chooseFrames(found, event.currentTarget.checked)}
            />
          </td>
        )}
        {tableColumns.map((column) => {
          const isSorted = column === order.column;
          return (
            <th
              key={column}
              scope="col"
              class={columnClasses[column]}
              aria-sort={isSorted ? (order.isReversed ? 'descending' : 'ascending') : undefined}
            >
              <button type="button" class="sort" onClick={() => sortBy(column)}>
                {t(columnTitles[column])}
                <span aria-hidden="true">{isSorted ? (order.isReversed ? '↓' : '↑') : ''}</span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
};

interface FrameRowProps {
  readonly device: FleetDevice;
  /** The frames of the table, in their order: what a range is chosen from. */
  readonly among: readonly FleetDevice[];
}

const FrameRow = ({ device, among }: FrameRowProps) => {
  const name = nameOfFrame(device);
  return (
    <>
      {mayWrite.value && (
        <td class="cell-choice">
          <input
            type="checkbox"
            aria-label={t('several.one', { name })}
            checked={isChosen(device.id)}
            onClick={(event) => chooseUpTo(device, event.currentTarget.checked, event.shiftKey ? among : undefined)}
          />
        </td>
      )}
      {tableColumns.map((column) => {
        const text = cellText[column](device);
        return (
          <td key={column} class={columnClasses[column]} title={text}>
            {column === 'name' ? <a href={hrefOf(`frames/${device.id}`)}>{name}</a> : <span>{text}</span>}
            {column === 'name' && <SimulatedMark device={device} />}
          </td>
        );
      })}
    </>
  );
};

const GroupRow = ({ group: { key, words, devices, troubled } }: { readonly group: PlaceGroup }) => {
  const chosenCount = devices.filter(({ id }) => isChosen(id)).length;
  const name = words === '' ? t('place.unknown') : words;
  return (
    <>
      {mayWrite.value && (
        <td class="cell-choice">
          <input
            type="checkbox"
            aria-label={t('several.group', { name, count: devices.length })}
            checked={chosenCount === devices.length}
            ref={(box) => {
              if (box !== null) box.indeterminate = chosenCount > 0 && chosenCount < devices.length;
            }}
            onChange={(event) => chooseFrames(devices, event.currentTarget.checked)}
          />
        </td>
      )}
      <td class="group-name" colSpan={tableColumns.length}>
        <button type="button" class="plain" aria-expanded={!foldedGroups.value.has(key)} onClick={() => fold(key)}>
          <span class="group-mark" aria-hidden="true" />
          {name}
        </button>
        <span class="note">{t('frames.count', { count: devices.length })}</span>
        {troubled > 0 && <strong class="bad">{t('frames.troubled', { count: troubled })}</strong>}
      </td>
    </>
  );
};
