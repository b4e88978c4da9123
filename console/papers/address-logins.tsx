/** Logins for the addresses of a calendar or website: set, shown as set without their value, forgotten. */

import { type Signal, useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import type { Paper } from '../ground/paper-book.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { usePaperVersion } from '../ground/versions.ts';
import { t } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { Card } from '../parts/card.tsx';
import { ChoiceField } from '../parts/forms/choice-field.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { isWholeLogin, LoginFields, readTypedLogin, useTypedLogin } from './draft/login-fields.tsx';
import { type LoginPlace, loginPlacesOf } from './draft/login-places.ts';

type AddressLoginShown = Schemas['AddressLogin'];

type Logins = Resource<readonly AddressLoginShown[]>;

/** Draws the section. */
export const AddressLogins = ({ paper }: { readonly paper: Paper }) => {
  const path = { paperId: paper.id };
  const version = usePaperVersion(paper.id);
  const read: Logins = useResource(
    (signal) => callApi('GET /papers/{paperId}/logins/', { path, signal }),
    [paper.id, version],
  );
  const forget = async ({ id, origin }: AddressLoginShown): Promise<void> => {
    const asked = { title: t('logins.forgetTitle', { origin }), text: t('logins.forgetText'), yes: t('logins.forget') };
    if (!(await confirmed(asked))) return;
    const call = () => callApi('DELETE /papers/{paperId}/logins/{loginId}', { path: { ...path, loginId: id } });
    await act(call, t('logins.forgotten', { origin }));
    await read.reload();
  };
  return (
    <Card id="paper-logins" title={t('logins.title')} hint={t('logins.intro')} of={read}>
      {read.value?.length === 0 && <p>{t('logins.none')}</p>}
      {read.value !== undefined && read.value.length > 0 && (
        <ul class="rows">
          {read.value.map((login) => (
            <LoginRow key={login.id} login={login} forget={() => forget(login)} />
          ))}
        </ul>
      )}
      <SetLogin places={loginPlacesOf(paper.meta)} paperId={paper.id} done={read.reload} />
    </Card>
  );
};

const LoginRow = ({
  login: { origin, header, storageKey, setAt },
  forget,
}: {
  readonly login: AddressLoginShown;
  readonly forget: () => Promise<void>;
}) => (
  <li>
    <span class="who">
      <strong>{origin}</strong>{' '}
      <span class="note" title={fullTime(setAt)}>
        {t('logins.isSet', { header: storageKey ?? header, time: clockTime(setAt) })}
      </span>
    </span>
    <button type="button" class="danger" aria-label={t('logins.forgetNamed', { origin })} onClick={() => void forget()}>
      {t('logins.forget')}
    </button>
  </li>
);

/** The form. What was typed as a secret is gone from it once the service has it. */
const SetLogin = ({
  places,
  paperId,
  done,
}: {
  readonly places: readonly LoginPlace[];
  readonly paperId: string;
  readonly done: () => Promise<void>;
}) => {
  const [chosen, typed] = [useSignal(''), useTypedLogin()];
  const place = placeOfOrigin(places, chosen.value);
  if (place === undefined) return <p class="note">{t('logins.noAddress')}</p>;
  const { origin, address } = place;
  const set = async (): Promise<void> => {
    const body = { address, ...readTypedLogin(typed) };
    const isSet = await act(
      () => callApi('PUT /papers/{paperId}/logins/', { path: { paperId }, body }),
      t('logins.set', { origin }),
    );
    if (!isSet) return;
    typed.secret.value = '';
    await done();
  };
  return (
    <Form class="paper-form" autocomplete="off" submit={set}>
      <h3>{t('logins.new')}</h3>
      <PlaceField places={places} chosen={chosen} secret={typed.secret} />
      <LoginFields login={typed} secretHint={t('logins.secretHint')} />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isWholeLogin(typed)}>
          {t('logins.save')}
        </button>
      </div>
    </Form>
  );
};

interface PlaceFieldProps {
  readonly places: readonly LoginPlace[];
  /** The origin that the person chose; the first one until then. */
  readonly chosen: Signal<string>;
  readonly secret: Signal<string>;
}

const placeOfOrigin = (places: readonly LoginPlace[], chosen: string): LoginPlace | undefined =>
  places.find(({ origin }) => origin === chosen) ?? places[0];

const PlaceField = ({ places, chosen, secret }: PlaceFieldProps) => {
  const origin = placeOfOrigin(places, chosen.value)?.origin ?? '';
  const choose = (other: string): void => {
    // A secret that was typed for one origin is not sent to another.
    secret.value = '';
    chosen.value = other;
  };
  return (
    <>
      <ChoiceField
        label={t('logins.address')}
        value={bound(origin, choose)}
        choices={places.map((one) => [one.origin, one.origin])}
      />
      {origin.startsWith('http:') && <p class="warn">{t('logins.inTheClear')}</p>}
    </>
  );
};
