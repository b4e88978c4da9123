/** Frames that ask by themselves for pictures: those that wait, adopted by one click, and how one is made to ask. */
import { type Signal, useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { now, relativeTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { AdoptionWindow } from './adoption-window.tsx';
import type { AddedFrame } from './first-wake.tsx';
import { KindField } from './kind-field.tsx';
import { nameFrame, RoomField } from './room-field.tsx';

type WaitingShown = AnswerOf<'GET /devices/waiting'>[number];

/** The inks that panels of one size may have; a size says nothing of colours. */
const inks = ['mono', 'gray4', 'bwr', 'bwry', 'spectra6'] as const;

/** Draws the list, which is read again every ten seconds; for administrators. */
export const AdoptFrames = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const organization = organizationId.value;
  const waiting = useResource(
    (signal) => callApi('GET /devices/waiting', { query: { organization }, signal }),
    [organization, now.value],
  );
  return (
    <Card id="adopt" title={t('adopt.title')} class="add" of={waiting}>
      {waiting.value?.length === 0 && <p>{t('adopt.none')}</p>}
      {waiting.value !== undefined && waiting.value.length > 0 && (
        <ul class="rows asking">
          {waiting.value.map((frame) => (
            <Waiting key={`${frame.serial} ${frame.asker}`} frame={frame} done={done} reload={waiting.reload} />
          ))}
        </ul>
      )}
      <AdoptionWindow organization={organization} />
    </Card>
  );
};

const Waiting = ({
  frame,
  done,
  reload,
}: {
  readonly frame: WaitingShown;
  readonly done: (added: AddedFrame) => void;
  readonly reload: () => Promise<void>;
}) => {
  const kind = useSignal('');
  const name = useSignal('');
  const isBusy = useSignal(false);
  const isNamed = frame.kind !== null && !frame.kind.startsWith('mono-');
  const chosen = kind.value || (frame.kind ?? '');
  const wanted = (frame.device === null ? chosen : kind.value) || undefined;
  // Adopts the device that this row shows, no matter which other device uses its name by then.
  const named = frame.others > 0 ? `${frame.address} (${frame.asker})` : frame.address;
  const adopt = async (): Promise<void> => {
    isBusy.value = true;
    const isDone = await act(async () => {
      const device = await callApi('POST /devices/adopt/{address}', {
        path: { address: frame.address },
        body: { organization: organizationId.value, asker: frame.asker, kind: wanted },
      });
      const named = await nameFrame(device, name.value).catch(() => device);
      done({ device: named, seenBefore: null, waits: t('adopt.firstPicture') });
    }, t('adopt.done'));
    isBusy.value = false;
    // Somebody else may have adopted it.
    if (!isDone) await reload();
  };
  return (
    <li>
      <Form class="form" submit={adopt}>
        <p>
          <strong>{frame.address}</strong> <span class="note">{factsOf(frame)}</span>
        </p>
        {frame.others > 0 && <p class="warn">{t('adopt.several', { code: frame.asker })}</p>}
        {frame.device !== null && <p class="warn">{t('adopt.again')}</p>}
        <RoomField value={name} label={t('adopt.room', { address: named })} />
        {!isNamed && <KindChoice frame={frame} kind={kind} />}
        <div class="actions">
          <button
            type="submit"
            class="primary"
            aria-label={t('adopt.adoptThis', { address: named })}
            disabled={isBusy.value || chosen === ''}
          >
            {t('adopt.adopt')}
          </button>
        </div>
      </Form>
    </li>
  );
};

function factsOf({ model, firmware, width, height, lastAskedAt, from, hasKey }: WaitingShown): string {
  const size = width === null || height === null ? '' : `${width} × ${height}`;
  const asked = t('adopt.asked', { when: relativeTime(lastAskedAt) });
  const place = from === null ? '' : t('adopt.from', { address: from });
  return [model ?? '', firmware ?? '', size, asked, place, hasKey ? t('adopt.otherKey') : '']
    .filter((fact) => fact !== '')
    .join(' · ');
}

/** The choice of a panel: among those of the size that the frame reports, else among all kinds. */
const KindChoice = ({
  frame: { width, height, kind: told, address },
  kind,
}: {
  readonly frame: WaitingShown;
  readonly kind: Signal<string>;
}) => {
  if (width === null || height === null) return <KindField kind={kind} />;
  return (
    <label class="field">
      <span>{t('adopt.colours')}</span>
      <select
        aria-label={t('adopt.coloursOf', { address })}
        value={kind.value || (told ?? '')}
        onChange={(event) => {
          kind.value = event.currentTarget.value;
        }}
      >
        {told === null && <option value="">{t('add.kindChoose')}</option>}
        {inks.map((ink) => (
          <option key={ink} value={`${ink}-${width}x${height}`}>
            {tCode('inks', ink)}
          </option>
        ))}
      </select>
    </label>
  );
};
