/** The kind of a frame whose serial does not show it: found by a word, or among its like. */
import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { Field } from '../../parts/forms/field.tsx';
import { foundByWords } from '../../parts/found-by-words.ts';
import { ProblemBox } from '../../parts/states.tsx';

interface KindProps {
  readonly kind: Signal<string>;
  /** A serial that begins with a kind needs none. */
  readonly serial?: string;
}

type Kind = AnswerOf<'GET /devices/kinds'>[number];

/** The groups, in their order: by maker, and panels without a maker by their inks. */
const groups = [
  ['OpenPaper', /^(?:epd|openpaper|offline)/],
  ['TRMNL', /^trmnl/],
  ['Seeed', /^seeed/],
  ['add.kinds.colour', /^(?:acep|inkplate6color|spectra|photoframe|hokku)/],
  ['add.kinds.three', /^bw[ry]/],
  ['add.kinds.gray', /./],
] as const;

const groupOf = ({ kind }: Kind): string => groups.find(([, fits]) => fits.test(kind))?.[0] ?? '';

/** Draws the choice, and a field that narrows it. */
export const KindField = ({ serial = '', kind }: KindProps) => {
  const kinds = useResource((signal) => callApi('GET /devices/kinds', { signal }), []);
  const words = useSignal('');
  const id = useId();
  const isTold = /^epd(?:7|13)-/i.test(serial.trim());
  if (kinds.problem !== undefined) return <ProblemBox problem={kinds.problem} again={() => void kinds.reload()} />;
  const textOf = (one: Kind): string => `${one.kind} ${one.title} ${one.width}x${one.height}`;
  const fitting = foundByWords(kinds.value ?? [], words.value, textOf);
  const found = (kinds.value ?? []).filter((one) => one.kind === kind.value || fitting.includes(one));
  return (
    <>
      <Field label={t('add.kindSearch')} hint={t('add.kindSearchHint')} type="search" value={words} />
      <div class="field">
        <label for={id}>{t('add.kind')}</label>
        <select
          id={id}
          required={!isTold}
          value={kind.value}
          onChange={(event) => {
            kind.value = event.currentTarget.value;
          }}
        >
          <option value="">{isTold ? t('add.kindTold') : t('add.kindChoose')}</option>
          {groups.map(([name]) => (
            <KindGroup key={name} name={name} kinds={found.filter((one) => groupOf(one) === name)} />
          ))}
        </select>
      </div>
    </>
  );
};

const KindGroup = ({ name, kinds }: { readonly name: (typeof groups)[number][0]; readonly kinds: readonly Kind[] }) => {
  if (kinds.length === 0) return null;
  const label = name === 'OpenPaper' || name === 'TRMNL' || name === 'Seeed' ? name : t(name);
  return (
    <optgroup label={label}>
      {kinds.map((one) => (
        <option key={one.kind} value={one.kind}>
          {`${one.title} (${one.width} × ${one.height})`}
        </option>
      ))}
    </optgroup>
  );
};
