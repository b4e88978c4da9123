/** The pictures of the last 90 days, as a strip with their times, the newest first. */
import { type Signal, useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { showsDetails } from '../../ground/details.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { sizeOfFrame } from '../../parts/frame-card.tsx';
import { uploadPicture } from '../../parts/frame-words.ts';
import { ApiPicture } from '../../parts/picture.tsx';

type PastPicture = AnswerOf<'GET /devices/{deviceId}/uploads'>[number];

/** How many pictures the strip has at first, and how many more it gets each time. */
const stepPictures = 40;
/** An answer of the service has no more. */
const maxAnswer = 500;

interface Past {
  readonly of: Resource<PastPicture[]>;
  /** Reads further back; undefined where there is nothing earlier. */
  readonly readEarlier: (() => void) | undefined;
}

/** Reads the newest pictures. */
async function readPast(id: string, wanted: number, signal: AbortSignal): Promise<PastPicture[]> {
  const found: PastPicture[] = [];
  while (found.length < wanted) {
    const limit = Math.min(maxAnswer, wanted - found.length);
    const query = { limit, before: found.at(-1)?.since };
    const rows = await callApi('GET /devices/{deviceId}/uploads', { path: { deviceId: id }, query, signal });
    found.push(...rows);
    if (rows.length < limit) break;
  }
  return found;
}

/**
 * The pictures of a frame, read again when another one hangs there.
 * @param newest the upload that is on the glass
 */
export function usePast(id: string, newest: string | undefined): Past {
  const wanted = useSignal(stepPictures);
  const of = useResource<PastPicture[]>((signal) => readPast(id, wanted.value, signal), [id, newest, wanted.value]);
  const hasEarlier = (of.value?.length ?? 0) >= wanted.value;
  const readEarlier = (): void => {
    wanted.value += stepPictures;
  };
  return { of, readEarlier: hasEarlier ? readEarlier : undefined };
}

/** From when to when a picture hung there, and what it was. */
export function sayPicture({ since, until, level, shows }: PastPicture): string {
  const span =
    until === null
      ? t('past.sinceThen', { from: clockTime(since) })
      : t('past.span', { from: clockTime(since), to: clockTime(until) });
  const parts = [span, tCode('shows', shows), showsDetails.value ? tCode('level', level) : ''];
  return parts.filter((part) => part !== '').join(' · ');
}

interface PastProps {
  readonly row: FleetDevice;
  readonly past: Past;
  /** The selected picture; undefined for the one that hangs there now. */
  readonly chosen: Signal<string | undefined>;
}

/** Draws the strip. Its pictures are radio buttons, so that arrow keys go along it. */
export const PastPictures = ({ row, past: { of, readEarlier }, chosen }: PastProps) => (
  <Card id="past" title={t('past.title')} of={of} isQuiet class="past">
    {of.value !== undefined && of.value.length > 0 && (
      <fieldset class="strip">
        <legend class="visually-hidden">{t('past.which')}</legend>
        {of.value.map((picture) => (
          <PastOne key={picture.uploadId} row={row} picture={picture} chosen={chosen} />
        ))}
        {readEarlier !== undefined && (
          <button type="button" onClick={readEarlier}>
            {t('past.earlier')}
          </button>
        )}
      </fieldset>
    )}
    {of.value !== undefined && of.value.length < 2 && (
      <p class="note">{t(of.value.length === 0 ? 'past.empty' : 'past.onlyOne')}</p>
    )}
  </Card>
);

const PastOne = ({
  row,
  picture: { uploadId, since, shows },
  chosen,
}: Omit<PastProps, 'past'> & { readonly picture: PastPicture }) => {
  const isNow = uploadId === row.glass?.uploadId;
  return (
    <label title={fullTime(since)}>
      <input
        type="radio"
        name="past"
        class="visually-hidden"
        checked={chosen.value === (isNow ? undefined : uploadId)}
        onChange={() => {
          chosen.value = isNow ? undefined : uploadId;
        }}
      />
      <ApiPicture path={uploadPicture(row.id, uploadId)} alt="" size={sizeOfFrame(row)} />
      <span>{isNow ? t('past.now') : clockTime(since)}</span>
      <span class="visually-hidden">{tCode('shows', shows)}</span>
    </label>
  );
};
