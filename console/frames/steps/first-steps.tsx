/**
 * The first steps: a frame, a picture, somebody to share it with. What is done follows from what is there, so that a reload
 * and another device show the same; that they began and ended is kept with the account.
 */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { type FleetDevice, fleet } from '../../ground/fleet.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { mayManage, mayWrite, membership, organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { uploadPicture } from '../../parts/frame-words.ts';
import { Icon } from '../../parts/icon.tsx';
import { act } from '../../parts/messages.tsx';
import { ApiPicture } from '../../parts/picture.tsx';
import { type KeptSteps, keepSteps, readSteps } from './kept-steps.ts';

/** Draws them from when the house is empty until they are finished or dismissed; nothing before and after. */
export const FirstSteps = () => {
  const organization = organizationId.value;
  const isEmpty = fleet.value.size === 0;
  const steps = useResource(() => readSteps(organization), [organization]);
  const { state } = steps.value ?? {};
  const keep = async (kept: KeptSteps): Promise<void> => {
    await act(async () => {
      await keepSteps(organization, kept);
      steps.put(kept);
    });
  };
  useEffect(() => {
    if (mayWrite.value && isEmpty && steps.value !== undefined && state === undefined) void keep({ state: 'begun' });
  }, [isEmpty, steps.value]);
  if (!mayWrite.value || steps.value === undefined || state !== 'begun') return null;
  return <BegunSteps kept={steps.value} keep={keep} />;
};

interface BegunProps {
  readonly kept: KeptSteps;
  readonly keep: (kept: KeptSteps) => Promise<void>;
}

const BegunSteps = ({ kept, keep }: BegunProps) => {
  const organization = organizationId.value;
  const people = useResource(
    async (signal) => (mayManage.value ? callApi('GET /users/', { query: { organization }, signal }) : []),
    [organization],
  );
  const frames = [...fleet.value.values()];
  const shown = frames.find(({ glass }) => glass !== null);
  const others = (people.value ?? []).filter(({ id }) => id !== membership.value?.userId).length;
  const isShared = others > 0 || kept.alone === true || !mayManage.value;
  if (shown !== undefined && isShared && people.value !== undefined) {
    return <Ready device={shown} end={() => keep({ ...kept, state: 'ended' })} />;
  }
  const done = [frames.length > 0, shown !== undefined, ...(mayManage.value ? [isShared] : [])];
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{t('steps.title')}</h2>
      <p class="note">{t('steps.progress', { done: done.filter(Boolean).length, count: done.length })}</p>
      <ol>
        <FrameStep frames={frames} />
        <PictureStep frames={frames} shown={shown} />
        {mayManage.value && <InviteStep others={others} kept={kept} keep={keep} />}
      </ol>
      <button type="button" class="plain" onClick={() => void keep({ ...kept, state: 'ended' })}>
        {t('steps.dismiss')}
      </button>
    </section>
  );
};

interface StepProps {
  readonly title: string;
  /** The text about what the step needs and how long it takes, or what is there already. */
  readonly text: string;
  readonly isDone: boolean;
  readonly children?: ComponentChildren;
}

const Step = ({ title, text, isDone, children }: StepProps) => (
  <li class={isDone ? 'done' : ''}>
    <h3>
      {title}
      {isDone && <Icon name="check" />}
      {isDone && <span class="visually-hidden">{t('steps.done')}</span>}
    </h3>
    <p class="note">{text}</p>
    {!isDone && children !== undefined && <div class="actions">{children}</div>}
  </li>
);

const nameOf = ({ name }: FleetDevice): string => (name === '' ? t('frame.noName') : name);

/** Without a frame the house is empty, and its invitation says where to begin. */
const FrameStep = ({ frames: [first] }: { readonly frames: readonly FleetDevice[] }) => (
  <Step
    title={t('frames.add')}
    text={first === undefined ? t('steps.frame.needs') : t('steps.frame.done', { name: nameOf(first) })}
    isDone={first !== undefined}
  />
);

const PictureStep = ({
  frames,
  shown,
}: {
  readonly frames: readonly FleetDevice[];
  readonly shown: FleetDevice | undefined;
}) => {
  const [first] = frames;
  const coming = frames.find(({ due }) => due !== null);
  const text =
    shown !== undefined
      ? t('steps.picture.done', { name: nameOf(shown) })
      : coming !== undefined
        ? t('steps.picture.waits', { name: nameOf(coming) })
        : t('steps.picture.needs');
  return (
    <Step title={t('steps.picture.title')} text={text} isDone={shown !== undefined}>
      {first !== undefined && (
        <a class={coming === undefined ? 'button primary' : 'button'} href={hrefOf(`send?frame=${first.id}&steps=1`)}>
          {t('steps.picture.title')}
        </a>
      )}
    </Step>
  );
};

const InviteStep = ({ others, kept, keep }: BegunProps & { readonly others: number }) => {
  const isDone = others > 0 || kept.alone === true;
  return (
    <Step
      title={t('steps.invite.title')}
      text={t(others > 0 ? 'steps.invite.done' : isDone ? 'steps.invite.alone' : 'steps.invite.needs')}
      isDone={isDone}
    >
      <a class="button" href={hrefOf('people?steps=1')}>
        {t('steps.invite.title')}
      </a>
      <button type="button" onClick={() => void keep({ ...kept, alone: true })}>
        {t('steps.invite.iAmAlone')}
      </button>
    </Step>
  );
};

/** The end, with the picture on the wall. */
const Ready = ({ device, end }: { readonly device: FleetDevice; readonly end: () => Promise<void> }) => {
  const { id, panel, glass } = device;
  const size = [panel?.width ?? 800, panel?.height ?? 480] as const;
  const name = nameOf(device);
  return (
    <section class="card first-steps ready" aria-labelledby="first-steps">
      <h2 id="first-steps">{t('steps.ready')}</h2>
      <a class="on-the-wall" href={hrefOf(`frames/${id}`)}>
        <ApiPicture
          path={glass === null ? null : uploadPicture(id, glass.uploadId)}
          alt={t('picture.glass', { name })}
          size={size}
        />
      </a>
      <p>{t('steps.readyText', { name })}</p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void end()}>
          {t('steps.end')}
        </button>
      </div>
    </section>
  );
};
