/** Deadlines on frames around today: how each deadline stands, why, what to do, and who was notified of it. */

import { signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import { saidText } from '../ground/said.ts';
import { mayWrite, organizationId } from '../ground/session.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { useReread } from '../ground/use-reread.ts';
import { listWords, t, tCode } from '../ground/words.ts';
import { Card } from './card.tsx';
import { act } from './messages.tsx';

type DueDeadline = Schemas['DueDeadline'];

/** The deadlines from half a day ago until a day from now, by its time. */
const due = signal<readonly DueDeadline[]>([]);

/** Reads them again. Members who see some frames alone see no deadlines. */
export async function readDue(): Promise<void> {
  const organization = organizationId.peek();
  if (organization === '' || !mayWrite.peek()) return;
  const read = await callApi('GET /deadlines/due', { query: { organization } });
  due.value = read.due;
}

/** Keeps the list as it is at the service. */
export function useDue(): void {
  useReread(readDue);
}

/** How a deadline stands, in the viewer's words and zone. */
const stateLine = ({ state, by, provenAt }: DueDeadline): string =>
  tCode('due.state', state, { by: clockTime(by), at: clockTime(provenAt ?? by) });

const isBad = ({ state }: DueDeadline): boolean => ['unavoidable', 'missed', 'shown-unproven'].includes(state);
const isAtStake = (one: DueDeadline): boolean => isBad(one) || one.state === 'at-risk';

const lineOf = (one: DueDeadline | undefined): string | undefined =>
  one && t('due.ofPaper', { name: one.name, state: stateLine(one) });

/** The line of a frame in lists: its first deadline that is at stake; undefined where none is. */
export const dueLine = (deviceId: string): string | undefined =>
  lineOf(due.value.find((one) => one.device === deviceId && isAtStake(one)));

/** The line of a frame on which all is well: the deadline that is planned next, or else the last that was met. */
export function keptLine(deviceId: string): string | undefined {
  const own = due.value.filter(({ device }) => device === deviceId);
  const isMet = ({ state }: DueDeadline): boolean => state === 'met' || state === 'met-late';
  return lineOf(own.find(({ state }) => state === 'planned') ?? own.findLast(isMet));
}

interface DueListProps {
  readonly device?: string;
  readonly paper?: string;
}

/** Draws the list; nothing while nothing is due. */
export const DueList = ({ device, paper }: DueListProps) => {
  useDue();
  const shown = due.value.filter(
    (one) => (device === undefined || one.device === device) && (paper === undefined || one.paper === paper),
  );
  if (shown.length === 0) return null;
  return (
    <Card id="due-deadlines" title={t('due.title')} class="due-list">
      <ul class="rows">
        {shown.map((one) => (
          <DueRow key={one.id} due={one} isOfPaper={paper !== undefined} />
        ))}
      </ul>
    </Card>
  );
};

/** Who was notified, and who could not be. */
function toldLine({ told }: DueDeadline): string {
  const names = (of: (one: DueDeadline['told'][number]) => boolean): string =>
    listWords([...new Set(told.filter(of).map(({ name }) => name))].filter(Boolean));
  const reached = names(({ sentAt }) => sentAt !== null);
  const failed = names(({ problem }) => problem !== null);
  return [
    reached === '' ? '' : t('due.told', { names: reached }),
    failed === '' ? '' : t('due.notReached', { names: failed }),
  ]
    .filter(Boolean)
    .join(' ');
}

const DueRow = ({ due: one, isOfPaper }: { readonly due: DueDeadline; readonly isOfPaper: boolean }) => {
  const { deadline, device, name, by, causes = [], waysOut, acknowledgedBy, acknowledgedUntil } = one;
  const deviceName = device === null ? t('due.nowhere') : one.deviceName;
  const place = [one.place?.building, one.place?.floor, one.place?.room].filter(Boolean).join(' › ');
  const told = toldLine(one);
  const takesCare = acknowledgedUntil !== null && Date.parse(acknowledgedUntil) > Date.now();
  const acknowledge = (): Promise<boolean> =>
    act(async () => {
      const path = { deadlineId: deadline };
      await callApi('POST /deadlines/{deadlineId}/acknowledge', { path, body: device === null ? {} : { device } });
      await readDue();
    }, t('due.tookCare'));
  return (
    <li>
      <span class="who">
        <strong dir="auto">{isOfPaper ? [deviceName, place].filter(Boolean).join(', ') : name}</strong>{' '}
        <span class={isBad(one) ? 'bad' : isAtStake(one) ? undefined : 'note'} title={fullTime(by)}>
          {stateLine(one)}
        </span>
        {isAtStake(one) && one.cause !== null && <span class="line">{saidText(causes, one.cause)}</span>}
        {isAtStake(one) && waysOut.length > 0 && (
          <span class="line">{waysOut.map((way) => tCode('due.way', way)).join(' ')}</span>
        )}
        {told !== '' && <span class="note">{told}</span>}
        {takesCare && (
          <span class="note">
            {t('due.takesCare', { name: acknowledgedBy ?? '', until: clockTime(acknowledgedUntil) })}
          </span>
        )}
      </span>
      {mayWrite.value && isAtStake(one) && !takesCare && (
        <button
          type="button"
          aria-label={`${t('due.takeCare')}: ${name}, ${deviceName}`}
          onClick={() => void acknowledge()}
        >
          {t('due.takeCare')}
        </button>
      )}
    </li>
  );
};
