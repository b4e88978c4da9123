/** Tables that show as many rows as there is room for, and how many there are besides. */
import { moreOf, numberHere, roomFor } from './ask-screen.ts';

/** Cuts the tables of a screen that ask for it. */
export function limitTables(screen: HTMLElement): void {
  for (const table of screen.querySelectorAll<HTMLTableElement>('table[data-table-limit="true"]')) limitTable(table);
}

function limitTable(table: HTMLTableElement): void {
  const body = table.tBodies[0];
  if (body === undefined) return;
  const rows = Array.from(body.rows);
  const room = numberHere(table, 'data-table-max-height') ?? roomFor(table);
  if (table.offsetHeight <= room) return;
  const isCounted = table.dataset.tableOverflowCounter !== 'false' && !table.hasAttribute('table-overflow-counter');
  const cell = document.createElement('td');
  if (isCounted) {
    const row = body.insertRow();
    cell.colSpan = Math.max(1, ...rows.map(({ cells }) => cells.length));
    cell.className = 'label label--small label--gray';
    cell.style.display = 'table-cell';
    row.append(cell);
  }
  let hidden = 0;
  while (table.offsetHeight > room && hidden < rows.length - 1) {
    rows.at(-1 - hidden)?.style.setProperty('display', 'none');
    hidden++;
    cell.textContent = moreOf(hidden);
  }
}
