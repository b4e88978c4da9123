/** The frame as it hangs, large; next to it what comes next and what it shows; below it what hung there before. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { type FleetDevice, rereadDevice } from '../../ground/fleet.ts';
import { hrefOf } from '../../ground/router.ts';
import { mayWrite } from '../../ground/session.ts';
import { fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { DueList } from '../../parts/due-list.tsx';
import { Glass, nameOfFrame, sizeOfFrame } from '../../parts/frame-card.tsx';
import { frameLine, setUpPaper, uploadPicture, wakeLine } from '../../parts/frame-words.ts';
import { HungPicture } from '../../parts/hung-picture.tsx';
import { Icon } from '../../parts/icon.tsx';
import { act } from '../../parts/messages.tsx';
import { NextChange } from '../../parts/next-change.tsx';
import { OnWallProof } from '../../parts/on-wall.tsx';
import { TimedList } from '../../parts/timed-list.tsx';
import type { FrameKnown } from './frame-state.ts';
import { PaperChoice } from './paper-choice.tsx';
import { PastPictures, sayPicture, usePast } from './past-pictures.tsx';
import { SimulatedCard } from './simulated-card.tsx';

/** Draws the page. */
export const PicturePage = ({
  known,
  reload,
}: {
  readonly known: FrameKnown;
  readonly reload: () => Promise<void>;
}) => {
  const { row } = known;
  const past = usePast(row.id, row.glass?.uploadId);
  // Undefined for what hangs there now, whatever follows it.
  const chosen = useSignal<string | undefined>(undefined);
  const toNow = (): void => {
    chosen.value = undefined;
  };
  const before = past.of.value?.find(({ uploadId }) => uploadId === chosen.value);
  const size = sizeOfFrame(row);
  return (
    <>
      <div class="one-columns">
        <figure class={size[1] > size[0] ? 'hero hero-tall' : 'hero'}>
          {before === undefined ? (
            <Glass device={row} />
          ) : (
            <HungPicture
              path={uploadPicture(row.id, before.uploadId)}
              alt={t('past.alt', { name: nameOfFrame(row), when: fullTime(before.since) })}
              size={size}
            />
          )}
          <figcaption aria-live="polite">
            {before === undefined ? <Now row={row} /> : sayPicture(before)}
            {before !== undefined && (
              <span class="actions">
                {mayWrite.value && before.shows !== 'notice' && (
                  <button
                    type="button"
                    class="primary"
                    onClick={() => void showAgain(row, before.uploadId).then(toNow)}
                  >
                    {t('past.again')}
                  </button>
                )}
                <button type="button" onClick={toNow}>
                  {t('past.toNow')}
                </button>
              </span>
            )}
          </figcaption>
        </figure>
        <div>
          {mayWrite.value && row.panel !== null && (
            <a class="button primary send-picture" href={hrefOf(`send?frame=${row.id}`)}>
              <Icon name="send" />
              {t('one.send')}
            </a>
          )}
          {mayWrite.value && <SimulatedCard row={row} />}
          <Next row={row} />
          <DueList device={row.id} />
          <TimedList device={row.id} paper={row.paper?.id ?? null} />
          <PaperChoice known={known} reload={reload} />
        </div>
      </div>
      <PastPictures row={row} past={past} chosen={chosen} />
    </>
  );
};

/** Has the frame show a past picture again, just as it was; what it showed meanwhile comes back by "undo". */
async function showAgain({ id, due, glass }: FleetDevice, uploadId: string): Promise<void> {
  const now = due?.uploadId ?? glass?.uploadId;
  const show = async (wanted: string): Promise<void> => {
    const body = { uploadId: wanted, exactly: wanted === uploadId };
    await callApi('POST /devices/{deviceId}/show-again', { path: { deviceId: id }, body });
    await rereadDevice(id);
  };
  await act(() => show(uploadId), t('past.isAgain'), now === undefined ? undefined : () => show(now));
}

/** Since when it hangs there, how that is known, and what speaks against it. */
const Now = ({ row: { glass } }: { readonly row: FleetDevice }) => (
  <>
    <OnWallProof glass={glass} />
    {glass !== null && glass.doubt !== null && <span class="warn">{tCode('doubt', glass.doubt)}</span>}
  </>
);

/** Draws what comes next and when; if nothing is on its way, when the frame asks next. */
const Next = ({ row }: { readonly row: FleetDevice }) => {
  const isDue = row.due !== null && row.due.uploadId !== row.glass?.uploadId;
  const setUpId = setUpPaper(row.why, row.paper?.id ?? null);
  return (
    <Card id="next" title={t('next.title')}>
      <p>{isDue || row.why !== null ? frameLine(row) : t('next.nothing')}</p>
      {setUpId !== null && mayWrite.value && <a href={hrefOf(`papers/${setUpId}`)}>{t('road.setUp')}</a>}
      <p class="note">
        <Icon name="clock" /> {wakeLine(row)}
      </p>
      <NextChange changes={row.nextChange === null ? [] : [row.nextChange]} />
    </Card>
  );
};
