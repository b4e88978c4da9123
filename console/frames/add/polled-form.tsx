/** The form that adds a frame which polls an address of its own: its room, its panel, and what is sent for them. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Problem } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/forms/field.tsx';
import { ReachWarning, useAddresses } from '../../parts/reach.tsx';
import { ProblemBox } from '../../parts/states.tsx';
import type { DeviceRecord } from '../frame/frame-state.ts';
import type { AddedFrame } from './first-wake.tsx';
import { nameFrame, RoomField } from './room-field.tsx';

interface PolledFormProps<Made extends { readonly device: DeviceRecord }> {
  /** Makes the frame under a name in its address. */
  readonly make: (asked: { readonly name: string; readonly organization: string }) => Promise<Made>;
  /** Returns what is said of the frame that was made. */
  readonly shown: (made: Made) => Pick<AddedFrame, 'plain' | 'offline' | 'waits'>;
  readonly done: (added: AddedFrame) => void;
  /** The words about the next step. */
  readonly next: string;
  /** Words above the room. */
  readonly above?: ComponentChildren;
  /** The choice of the panel. */
  readonly children: ComponentChildren;
}

/** Draws the form. */
export function PolledForm<Made extends { readonly device: DeviceRecord }>(props: PolledFormProps<Made>) {
  const { make, shown, done, next, above, children } = props;
  const name = useSignal('');
  const problem: Signal<Problem | undefined> = useSignal(undefined);
  const addresses = useAddresses();
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    try {
      const made = await make({ name: addressName(name.value), organization: organizationId.value });
      // Its key or password is shown once, so nothing that follows may lose it.
      const device = await nameFrame(made.device, name.value).catch(() => made.device);
      done({ device, seenBefore: null, ...shown(made) });
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  return (
    <Form class="card form add" submit={submit}>
      {above}
      <RoomField value={name} />
      {children}
      {problem.value !== undefined && <ProblemBox problem={problem.value} />}
      <ReachWarning address={addresses.value?.polled} whom="frames" />
      <p class="note">{next}</p>
      <div class="actions">
        <button type="submit" class="primary">
          {t('add.next')}
        </button>
      </div>
    </Form>
  );
}

/**
 * Returns the name in its address: the letters and digits of the room, and a few digits more, so that two kitchens are two
 * frames.
 */
function addressName(room: string): string {
  const plain = room
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 24);
  const digits = crypto.getRandomValues(new Uint32Array(1))[0]?.toString(16) ?? '';
  return plain === '' ? digits : `${plain}-${digits}`;
}
