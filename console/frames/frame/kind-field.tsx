/** The kind of a frame whose serial does not tell it. */
import type { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { ProblemBox } from '../../parts/states.tsx';

interface KindProps {
  readonly serial: string;
  readonly kind: Signal<string>;
}

/** Draws the choice; a serial that begins with a kind needs none. */
export const KindField: ComponentType<KindProps> = ({ serial, kind }) => {
  const kinds = useResource((signal) => callApi('GET /devices/kinds', { signal }), []);
  const isTold = /^epd(?:7|13)-/i.test(serial.trim());
  if (kinds.problem !== undefined) return <ProblemBox problem={kinds.problem} again={() => void kinds.reload()} />;
  return (
    <label class="field">
      <span>{t('add.kind')}</span>
      <select
        value={kind.value}
        required={!isTold}
        onChange={(event) => {
          kind.value = event.currentTarget.value;
        }}
      >
        <option value="">{isTold ? t('add.kindTold') : t('add.kindChoose')}</option>
        {kinds.value?.map((one) => (
          <option key={one.kind} value={one.kind}>
            {`${one.title} (${one.width} × ${one.height})`}
          </option>
        ))}
      </select>
    </label>
  );
};
