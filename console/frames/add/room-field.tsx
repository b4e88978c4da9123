/** Where a frame hangs, which is its name: people look for the frame in the kitchen, not for a number. */
import { useId } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import type { Bound } from '../../parts/bound.ts';
import { Field } from '../../parts/forms/field.tsx';
import type { DeviceRecord } from '../frame/frame-state.ts';

const rooms = ['kitchen', 'hallway', 'living', 'bedroom', 'study', 'children'] as const;

/** Draws the field, with rooms to choose from. */
export const RoomField = ({
  value,
  label = t('add.room'),
}: {
  readonly value: Bound<string>;
  readonly label?: string;
}) => {
  const id = useId();
  return (
    <>
      <Field
        label={label}
        hint={t('add.roomHint')}
        value={value}
        list={id}
        maxLength={80}
        required
        autocomplete="off"
      />
      <datalist id={id}>
        {rooms.map((room) => (
          <option key={room} value={t(`add.rooms.${room}`)} />
        ))}
      </datalist>
    </>
  );
};

/** Gives a frame that was just added its name, which is the room that it hangs in. */
export function nameFrame({ id, meta }: DeviceRecord, name: string): Promise<DeviceRecord> {
  const room = name.trim();
  const place = { ...(meta.place as object | null), room };
  return callApi('POST /devices/{deviceId}', {
    path: { deviceId: id },
    body: { meta: { ...meta, name: room, place } },
  });
}
