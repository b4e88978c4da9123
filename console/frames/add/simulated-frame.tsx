/** A simulated frame: the service plays it itself, so that everything can be tried before the hardware comes. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi, type Problem } from '../../ground/call-api.ts';
import { asProblem, useResource } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/forms/field.tsx';
import { ProblemBox, Reading } from '../../parts/states.tsx';
import type { AddedFrame } from './first-wake.tsx';
import { nameFrame, RoomField } from './room-field.tsx';

type Kind = AnswerOf<'GET /devices/simulated'>['kinds'][number];

/** Draws the form, or why there is none. */
export const AddSimulated = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const organization = organizationId.value;
  const offered = useResource(
    (signal) => callApi('GET /devices/simulated', { query: { organization }, signal }),
    [organization],
  );
  const name = useSignal(t('add.rooms.kitchen'));
  const kind = useSignal<Kind['kind']>('epd7');
  const problem = useSignal<Problem | undefined>(undefined);
  if (offered.value === undefined) return <Reading of={offered} />;
  const { isOffered, left, kinds } = offered.value;
  if (!isOffered || left === 0)
    return <p class="card add">{t(isOffered ? 'add.simulatedFull' : 'add.simulatedOff')}</p>;
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    try {
      const body = { organization, kind: kind.value, name: name.value.trim() };
      const made = await callApi('POST /devices/simulated', { body });
      const device = await nameFrame(made, name.value).catch(() => made);
      done({ device, seenBefore: null, waits: t('add.waitsSimulated') });
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  return (
    <Form class="card form add" submit={submit}>
      <p>{t('add.simulatedWhat')}</p>
      <fieldset class="panel-choice">
        <legend>{t('add.simulatedKind')}</legend>
        {kinds.map((one) => (
          <label key={one.kind}>
            <input
              type="radio"
              name="panel"
              checked={kind.value === one.kind}
              onChange={() => {
                kind.value = one.kind;
              }}
            />
            <PanelDrawing kind={one} />
            <span>{t(`add.panel.${one.kind}`)}</span>
          </label>
        ))}
      </fieldset>
      <RoomField value={name} />
      {problem.value !== undefined && <ProblemBox problem={problem.value} />}
      <p class="note">{t('add.nextSimulated')}</p>
      <div class="actions">
        <button type="submit" class="primary">
          {t('add.simulate')}
        </button>
      </div>
    </Form>
  );
};

/** A panel in its proportions, with a hill and a sun in the inks that it has. */
const PanelDrawing = ({ kind: { kind, width, height } }: { readonly kind: Kind }) => {
  const [wide, high] = width > height ? [80, (80 * height) / width] : [(80 * width) / height, 80];
  return (
    <svg
      class={kind === 'trmnl4' ? 'panel-drawing gray' : 'panel-drawing'}
      viewBox="-50 -50 100 100"
      aria-hidden="true"
    >
      <rect class="moulding" x={-wide / 2 - 6} y={-high / 2 - 6} width={wide + 12} height={high + 12} rx="2" />
      <svg
        aria-hidden="true"
        x={-wide / 2}
        y={-high / 2}
        width={wide}
        height={high}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
      >
        <rect class="sky" width="100" height="100" />
        <path class="far" d="M0 70 Q30 35 60 62 T100 55 V100 H0Z" />
        <path class="near" d="M0 85 Q40 62 100 82 V100 H0Z" />
      </svg>
      <circle class="sun" cx={wide / 4} cy={-high / 4} r="7" />
    </svg>
  );
};
