/** Pictures that wait for their time, and those that are shown until one: what will happen, and how to cancel it. */

import { signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi, reachable } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import { papers } from '../ground/paper-book.ts';
import { picturePapers } from '../ground/picture-papers.ts';
import { mayWrite, organizationId } from '../ground/session.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { useReread } from '../ground/use-reread.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from './card.tsx';
import { act } from './messages.tsx';

type TimedShown = Schemas['TimedPicture'];

/** The pictures that wait or are not over, by their beginning. */
const timed = signal<readonly TimedShown[]>([]);
const openStates = ['waiting', 'showing', 'interrupted'];

/** Reads them again. */
export async function readTimed(): Promise<void> {
  if (organizationId.peek() === '') return;
  const { pictures } = await callApi('GET /timed-pictures/', { query: { organization: organizationId.peek() } });
  timed.value = pictures.filter(({ state }) => openStates.includes(state));
}

/** Keeps the list as it is at the service. */
function useTimed(): void {
  useReread(readTimed);
}

interface TimedListProps {
  /** Only pictures for this paper, or this frame and its paper. */
  readonly paper?: string | null | undefined;
  readonly device?: string;
}

/** Draws the list; nothing while nothing waits. */
export const TimedList = ({ paper, device }: TimedListProps) => {
  useTimed();
  const isAll = paper === undefined && device === undefined;
  const shown = timed.value.filter(
    (one) => isAll || (one.device !== null && one.device === device) || (one.paper !== null && one.paper === paper),
  );
  if (shown.length === 0) return null;
  return (
    <Card id="timed-pictures" title={t('timed.title')} class="sendings timed">
      <ul>
        {shown.map((one) => (
          <TimedRow key={one.id} picture={one} />
        ))}
      </ul>
    </Card>
  );
};

function placeName({ paper, device, frames }: TimedShown): string {
  const known = frames.find(({ deviceId }) => deviceId === device)?.name;
  if (device !== null) return known || fleet.value.get(device)?.name || t('frame.noName');
  const shownPaper = [...fleet.value.values()].find((one) => one.paper?.id === paper)?.paper;
  // One that no frame shows is known to anyone who opened its page or a list of papers.
  const read = paper === null ? undefined : papers.value.get(paper);
  const found = shownPaper ?? read ?? picturePapers.value.find(({ id }) => id === paper);
  return found?.title || t('choice.noTitle');
}

/** The state in the viewer's words and zone. */
function timedLine({ state, showFrom, showUntil }: TimedShown): string {
  const until = showUntil === null ? '' : t('timed.thenBack', { until: clockTime(showUntil) });
  const now = tCode('timed', state, { from: clockTime(showFrom) });
  return [now, until].filter((part) => part !== '').join(' ');
}

const TimedRow = ({ picture }: { readonly picture: TimedShown }) => {
  const { id, url, state, showFrom, showUntil, frames } = picture;
  const place = placeName(picture);
  const cancel = (): Promise<boolean> =>
    act(
      async () => {
        await callApi('DELETE /timed-pictures/{timedId}', { path: { timedId: id } });
        await readTimed();
      },
      t(state === 'waiting' ? 'timed.cancelled' : 'timed.ended', { place }),
    );
  return (
    <li>
      {url === null ? <span class="thumb" /> : <img class="thumb" src={reachable(url)} alt="" />}
      <div>
        <p class="name">{place}</p>
        <p class="line" title={[showFrom, showUntil].flatMap((at) => (at === null ? [] : fullTime(at))).join(' – ')}>
          {timedLine(picture)}
        </p>
        {frames.map(({ deviceId, name, expectedAt, isMissed }) => (
          <p key={deviceId} class={isMissed ? 'line bad' : 'line'}>
            {expectedAt === null
              ? t('timed.wakeUnknown', { name })
              : t(isMissed ? 'timed.missed' : 'timed.wake', { name, when: clockTime(expectedAt) })}
          </p>
        ))}
      </div>
      {mayWrite.value && (
        <button
          type="button"
          onClick={() => void cancel()}
          aria-label={t(state === 'waiting' ? 'timed.cancelOf' : 'timed.endOf', { place })}
        >
          {t(state === 'waiting' ? 'timed.cancel' : 'timed.endNow')}
        </button>
      )}
    </li>
  );
};
