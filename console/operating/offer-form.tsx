/** Offers an image to all native frames of its kind, to some, or to chosen ones. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { type FleetDevice, fleet } from '../ground/fleet.ts';
import { organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { ChoiceField } from '../parts/forms/choice-field.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { Form } from '../parts/forms/field.tsx';
import { frameChoices } from '../parts/forms/frame-choices.ts';
import { SearchChoice } from '../parts/forms/search-choice.tsx';
import { nameOfFrame } from '../parts/frame-card.tsx';
import { act } from '../parts/messages.tsx';

type FirmwareShown = AnswerOf<'GET /organizations/{organizationId}/firmware/'>;

const percentages = ['100', '50', '10'] as const;
const chosen = 'chosen';

interface OfferFormProps extends Pick<FirmwareShown, 'versions' | 'images'> {
  readonly offered: () => Promise<void>;
}

/** Draws the form, where there is an image for a native frame of the organization. */
export const OfferForm = ({ versions, images, offered }: OfferFormProps) => {
  const fitting = images.filter(({ kind, dialect }) => dialect === 'native' && framesOf(versions, kind).length > 0);
  const [picked, target] = [useSignal(''), useSignal<string>('100')];
  const devices = useSignal<ReadonlySet<string>>(new Set());
  const image = fitting.find((one) => keyOf(one) === picked.value) ?? fitting[0];
  if (image === undefined) return null;
  const frames = framesOf(versions, image.kind);
  const wanted = frames.filter((one) => devices.value.has(one));
  const offer = async (): Promise<void> => {
    const { kind, version } = image;
    const count = target.value === chosen ? wanted.length : Math.ceil((frames.length * Number(target.value)) / 100);
    const text = t('offer.text', { count });
    if (!(await confirmed({ title: t('offer.question', { version }), text, yes: t('offer.yes') }))) return;
    const call = () =>
      callApi('POST /organizations/{organizationId}/firmware/rollouts/', {
        path: { organizationId: organizationId.peek() },
        body: {
          kind,
          version,
          ...(target.value === chosen ? { devices: wanted } : { percent: Number(target.value) }),
        },
      });
    if (await act(call, t('offer.done', { version }))) await offered();
  };
  return (
    <Form class="form" submit={offer}>
      <h3>{t('offer.title')}</h3>
      <div class="line-form">
        <ChoiceField
          label={t('offer.image')}
          value={bound(keyOf(image), (key) => {
            picked.value = key;
          })}
          choices={fitting.map((one) => [keyOf(one), `${one.version} (${one.kind})`])}
        />
        <ChoiceField label={t('offer.target')} value={target} choices={targets()} />
        <button type="submit" disabled={target.value === chosen && wanted.length === 0}>
          {t('offer.yes')}
        </button>
      </div>
      {target.value === chosen && <FrameChoice frames={frames} devices={devices} />}
      <p class="note">{t('offer.hint')}</p>
    </Form>
  );
};

const targets = (): [string, string][] => [
  ...percentages.map((percent): [string, string] => [
    percent,
    percent === '100' ? t('offer.all') : t('offer.percent', { percent: Number(percent) }),
  ]),
  [chosen, t('offer.chosen')],
];

const FrameChoice = ({
  frames,
  devices,
}: {
  readonly frames: readonly string[];
  readonly devices: { value: ReadonlySet<string> };
}) => {
  const known = frames.flatMap((id) => fleet.value.get(id) ?? []);
  const isIn = ({ id }: FleetDevice): boolean => devices.value.has(id);
  const put = (id: string, isOn: boolean): void => {
    const others = [...devices.value].filter((one) => one !== id);
    devices.value = new Set(isOn ? [...others, id] : others);
  };
  return (
    <>
      <SearchChoice
        label={t('offer.which')}
        value={bound('', (id) => put(id, true))}
        choices={frameChoices(known.filter((device) => !isIn(device)))}
      />
      <ul class="rows">
        {known.filter(isIn).map((device) => (
          <li key={device.id}>
            <span>{nameOfFrame(device)}</span>
            <button
              type="button"
              aria-label={t('offer.leaveOutNamed', { name: nameOfFrame(device) })}
              onClick={() => put(device.id, false)}
            >
              {t('offer.leaveOut')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
};

const keyOf = ({ kind, version }: FirmwareShown['images'][number]): string => `${kind} ${version}`;

/** The devices whose frames take native images of a kind; one that never connected may turn out to be one. */
function framesOf(versions: FirmwareShown['versions'], kind: string): string[] {
  return versions
    .filter((version) => version.kind === kind && version.dialect !== 'classic')
    .flatMap(({ deviceIds }) => deviceIds);
}
