/** The frames that show a paper, and those that could. */
import { callApi } from '../ground/call-api.ts';
import { type FleetDevice, fleet, rereadDevice } from '../ground/fleet.ts';
import type { Paper } from '../ground/paper-book.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { hrefOf } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { SearchedList } from '../parts/forms/searched-list.tsx';
import { frameLine, setUpPaper, troubleLine } from '../parts/frame-words.ts';
import { act } from '../parts/messages.tsx';
import { byNatureAmong } from '../parts/natural-order.ts';

interface ShownOnProps {
  readonly paper: Paper;
}

/** Draws the list: a tick shows the paper on a frame at once. */
export const ShownOn = ({ paper }: ShownOnProps) => {
  const all = [...fleet.value.values()].filter(({ organization }) => organization === paper.organization);
  const isShown = (device: FleetDevice): boolean => device.paper?.id === paper.id;
  const compare = byNatureAmong(all.map(({ name }) => name));
  const found = all
    .filter((device) => mayWrite.value || isShown(device))
    .sort((a, b) => Number(isShown(b)) - Number(isShown(a)) || compare(a.name, b.name));
  return (
    <Card id="paper-frames" title={t('papers.frames')}>
      {mayWrite.value && all.length > 0 && <p class="note">{t('papers.framesHint')}</p>}
      {all.length === 0 && <p class="note">{t('frames.empty')}</p>}
      {found.length === 0 && all.length > 0 && <p class="note">{t('papers.shownNowhere')}</p>}
      <SearchedList
        items={found}
        search={t('papers.searchFrames')}
        textOf={({ name, serial }) => `${name} ${serial ?? ''}`}
        isChosen={isShown}
        draw={(shown) => (
          <ul class="rows">
            {shown.map((device) => (
              <FrameRow key={device.id} device={device} paper={paper} />
            ))}
          </ul>
        )}
      />
    </Card>
  );
};

const nameOf = ({ name }: FleetDevice): string => (name === '' ? t('frame.noName') : name);

const FrameRow = ({ device, paper }: ShownOnProps & { readonly device: FleetDevice }) => {
  const isShown = device.paper?.id === paper.id;
  const setUpId = isShown ? setUpPaper(device.why, null) : null;
  return (
    <li>
      {mayWrite.value ? (
        <label class="check">
          <input type="checkbox" checked={isShown} onChange={() => void showOn(device, isShown ? null : paper)} />
          <span>{nameOf(device)}</span>
        </label>
      ) : (
        <span>{nameOf(device)}</span>
      )}
      <span class="note">{isShown ? (troubleLine(device) ?? frameLine(device)) : showsNow(device)}</span>
      {setUpId !== null && <a href={hrefOf(`papers/${setUpId}`)}>{t('road.setUp')}</a>}
      {isShown && (
        <a href={hrefOf(`frames/${device.id}`)} aria-label={t('papers.openFrame', { name: nameOf(device) })}>
          {t('papers.open')}
        </a>
      )}
    </li>
  );
};

function showsNow({ paper, glass }: FleetDevice): string {
  if (paper === null) return t(glass === null ? 'papers.showsNothing' : 'papers.keepsPicture');
  return t('papers.shows', { title: paper.title ?? kindName(paper.kind) });
}

/** Has a frame show a paper, or none. What it showed before comes back by "undo". */
export async function showOn(device: FleetDevice, wanted: Paper | null): Promise<void> {
  const before = device.paper?.id ?? null;
  const to = async (paper: string | null): Promise<void> => {
    await callApi('POST /devices/{deviceId}', { path: { deviceId: device.id }, body: { paper } });
    await rereadDevice(device.id);
  };
  const name = nameOf(device);
  const done = wanted === null ? t('papers.unchosen', { name }) : t('papers.chosen', { name, title: wanted.title });
  await act(
    () => to(wanted?.id ?? null),
    done,
    () => to(before),
  );
  await rereadDevice(device.id);
}
