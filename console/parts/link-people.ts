/** Linking frames and papers to people, with the words for it: the pages of people and of frames do it alike. */
import { callApi } from '../ground/call-api.ts';
import { t } from '../ground/words.ts';
import { act } from './messages.tsx';

/** A frame or a paper that is linked, or to be linked. */
export interface LinkedThing {
  readonly kind: 'devices' | 'papers';
  readonly id: string;
  readonly name: string;
  /** The frame names the person as its patient, which ends with the link. */
  readonly isPatient?: boolean;
}

/** Lets a person see a frame or a paper, or no longer; it can be undone. */
export async function letSee(
  person: { readonly id: string; readonly name: string },
  thing: LinkedThing,
  sees: boolean,
): Promise<boolean> {
  const to = async (wanted: boolean): Promise<void> => {
    if (wanted && thing.isPatient === true) {
      await callApi('POST /devices/{deviceId}', { path: { deviceId: thing.id }, body: { patient: person.id } });
      return;
    }
    const body = { [thing.kind]: [thing.id], sees: wanted };
    await callApi('POST /users/{userId}/links', { path: { userId: person.id }, body });
  };
  const words = { name: person.name, thing: thing.name };
  const done = t(sees ? 'links.sees' : 'links.seesNoMore', words);
  return act(
    () => to(sees),
    done,
    () => to(!sees),
  );
}
