/** What was on the glass in the last 90 days: a slider over the pictures, newest at its right end. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { showsDetails } from '../../ground/details.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { uploadPicture } from '../../parts/frame-words.ts';
import { ApiPicture } from '../../parts/picture.tsx';

type PastPicture = AnswerOf<'GET /devices/{deviceId}/uploads'>[number];

interface PastProps {
  readonly id: string;
  readonly name: string;
  readonly size: FleetDevice['panel'];
  /** The upload that is on the glass: another one makes the list longer. */
  readonly newest: string | undefined;
}

const pageRows = 500;
/** Frames that wake every minute have more pictures than a person looks through. */
const maxPages = 4;
/** While the slider moves, pictures are asked for only where it rests. */
const restMs = 120;

/** Reads the pictures, the oldest first. */
async function readPast(id: string, signal: AbortSignal): Promise<PastPicture[]> {
  const found: PastPicture[] = [];
  for (let page = 0; page < maxPages; page++) {
    const before = found.at(-1)?.since;
    const rows = await callApi('GET /devices/{deviceId}/uploads', {
      path: { deviceId: id },
      query: { limit: pageRows, before },
      signal,
    });
    found.push(...rows);
    if (rows.length < pageRows) break;
  }
  return found.reverse();
}

/** Draws the slider with the picture that it stands on. */
export const GlassPast: ComponentType<PastProps> = ({ id, name, size, newest }) => {
  const past = useResource<PastPicture[]>((signal) => readPast(id, signal), [id, newest]);
  return (
    <Card id="past" title={t('past.title')} of={past} isQuiet>
      {past.value?.length === 0 && <p class="note">{t('past.empty')}</p>}
      {past.value !== undefined && past.value.length > 0 && (
        <Scrubber id={id} name={name} size={size} pictures={past.value} />
      )}
    </Card>
  );
};

interface ScrubberProps extends Omit<PastProps, 'newest'> {
  readonly pictures: readonly PastPicture[];
}

const Scrubber: ComponentType<ScrubberProps> = ({ id, name, size, pictures }) => {
  // The picture is remembered, not its place: new ones push it to the left.
  const chosen = useSignal<string | undefined>(undefined);
  const found = pictures.findIndex(({ uploadId }) => uploadId === chosen.value);
  const at = found === -1 ? pictures.length - 1 : found;
  const picture = pictures[at];
  const drawn = useResting(picture?.uploadId);
  if (picture === undefined) return null;
  const goTo = (next: number): void => {
    chosen.value = next >= pictures.length - 1 ? undefined : pictures[Math.max(0, next)]?.uploadId;
  };
  return (
    <>
      <figure class="large">
        <ApiPicture
          path={drawn === undefined ? null : uploadPicture(id, drawn)}
          alt={t('past.alt', { name, when: fullTime(picture.since) })}
          size={[size?.width ?? 800, size?.height ?? 480]}
        />
        <figcaption aria-live="polite">{sayPicture(picture)}</figcaption>
      </figure>
      <div class="scrubber">
        <button type="button" disabled={at === 0} onClick={() => goTo(at - 1)}>
          {t('past.earlier')}
        </button>
        <input
          type="range"
          min={0}
          max={pictures.length - 1}
          step={1}
          value={at}
          disabled={pictures.length === 1}
          aria-label={t('past.slider')}
          aria-valuetext={sayPicture(picture)}
          onInput={(event) => goTo(Number(event.currentTarget.value))}
        />
        <button type="button" disabled={at === pictures.length - 1} onClick={() => goTo(at + 1)}>
          {t('past.later')}
        </button>
      </div>
      <p class="note">{t('past.place', { place: at + 1, count: pictures.length })}</p>
    </>
  );
};

function sayPicture({ since, until, level, shows }: PastPicture): string {
  const span =
    until === null
      ? t('past.sinceThen', { from: clockTime(since) })
      : t('past.span', { from: clockTime(since), to: clockTime(until) });
  const parts = [span, tCode('shows', shows), showsDetails.value ? tCode('level', level) : ''];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Returns the value after it has rested for a moment. */
function useResting(value: string | undefined): string | undefined {
  const rested = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      rested.value = value;
    }, restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested.value;
}
