/** The kind of a frame whose serial does not tell it. */
import type { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
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
    <ChoiceField
      label={t('add.kind')}
      value={kind}
      required={!isTold}
      choices={[
        ['', isTold ? t('add.kindTold') : t('add.kindChoose')],
        ...(kinds.value ?? []).map((one) => [one.kind, `${one.title} (${one.width} × ${one.height})`] as const),
      ]}
    />
  );
};
