/** Logins for the addresses of a calendar or website: set, shown as set without their value, forgotten. */

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import type { Paper } from '../ground/paper-book.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { confirmed } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { act } from '../parts/messages.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';

type AddressLoginShown = Schemas['AddressLogin'];

interface LoginsProps {
  readonly paper: Paper;
}

type Logins = Resource<readonly AddressLoginShown[]>;

/** An origin that the paper asks, and an address of it. */
interface Place {
  readonly origin: string;
  readonly address: string;
}

/** Draws the section. */
export const AddressLogins: ComponentType<LoginsProps> = ({ paper }) => {
  const path = { paperId: paper.id };
  const read: Logins = useResource((signal) => callApi('GET /papers/{paperId}/logins/', { path, signal }), [paper.id]);
  const forget = async ({ id, origin }: AddressLoginShown): Promise<void> => {
    const asked = { title: t('logins.forgetTitle', { origin }), text: t('logins.forgetText'), yes: t('logins.forget') };
    if (!(await confirmed(asked))) return;
    const call = () => callApi('DELETE /papers/{paperId}/logins/{loginId}', { path: { ...path, loginId: id } });
    await act(call, t('logins.forgotten', { origin }));
    await read.reload();
  };
  return (
    <section class="card" aria-labelledby="paper-logins">
      <h2 id="paper-logins">{t('logins.title')}</h2>
      <p class="note">{t('logins.intro')}</p>
      {read.problem !== undefined && <ProblemBox problem={read.problem} again={() => void read.reload()} />}
      {read.value === undefined && read.problem === undefined && <Loading />}
      {read.value?.length === 0 && <p>{t('logins.none')}</p>}
      {read.value !== undefined && read.value.length > 0 && (
        <ul class="rows">
          {read.value.map((login) => (
            <LoginRow key={login.id} login={login} forget={() => forget(login)} />
          ))}
        </ul>
      )}
      <SetLogin places={placesOf(paper)} paperId={paper.id} done={read.reload} />
    </section>
  );
};

const LoginRow: ComponentType<{ readonly login: AddressLoginShown; readonly forget: () => Promise<void> }> = ({
  login: { origin, header, setAt },
  forget,
}) => (
  <li>
    <span class="who">
      <strong>{origin}</strong>{' '}
      <span class="note" title={fullTime(setAt)}>
        {t('logins.isSet', { header, time: clockTime(setAt) })}
      </span>
    </span>
    <button type="button" class="danger" aria-label={t('logins.forgetNamed', { origin })} onClick={() => void forget()}>
      {t('logins.forget')}
    </button>
  </li>
);

interface SetLoginProps {
  readonly places: readonly Place[];
  readonly paperId: string;
  readonly done: () => Promise<void>;
}

/** The form. What was typed as a secret is gone from it once the service has it. */
const SetLogin: ComponentType<SetLoginProps> = ({ places, paperId, done }) => {
  const [chosen, header, secret] = [useSignal(''), useSignal(''), useSignal('')];
  const [isBearer, isBusy] = [useSignal(true), useSignal(false)];
  const place = placeOfOrigin(places, chosen.value);
  if (place === undefined) return <p class="note">{t('logins.noAddress')}</p>;
  const { origin, address } = place;
  const isWhole = secret.value !== '' && (isBearer.value || header.value.trim() !== '');
  const set = async (): Promise<void> => {
    isBusy.value = true;
    const login = isBearer.value ? { bearer: secret.value } : { header: header.value.trim(), value: secret.value };
    const isSet = await act(
      () => callApi('PUT /papers/{paperId}/logins/', { path: { paperId }, body: { address, ...login } }),
      t('logins.set', { origin }),
    );
    if (isSet) {
      secret.value = '';
      await done();
    }
    isBusy.value = false;
  };
  return (
    <form
      class="paper-form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && !isBusy.value) void set();
      }}
    >
      <h3>{t('logins.new')}</h3>
      <PlaceField places={places} chosen={chosen} secret={secret} />
      <KindField isBearer={isBearer} />
      {!isBearer.value && (
        <Field
          label={t('logins.headerName')}
          value={header}
          hint={t('logins.headerHint')}
          maxLength={64}
          autocomplete="off"
          required
        />
      )}
      <Field
        label={isBearer.value ? t('logins.token') : t('logins.value')}
        type="password"
        value={secret}
        hint={t('logins.secretHint')}
        maxLength={4_000}
        autocomplete="new-password"
        required
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy.value || !isWhole}>
          {t('logins.save')}
        </button>
      </div>
    </form>
  );
};

interface PlaceFieldProps {
  readonly places: readonly Place[];
  /** The origin that the person chose; the first one until then. */
  readonly chosen: Signal<string>;
  readonly secret: Signal<string>;
}

const placeOfOrigin = (places: readonly Place[], chosen: string): Place | undefined =>
  places.find(({ origin }) => origin === chosen) ?? places[0];

const PlaceField: ComponentType<PlaceFieldProps> = ({ places, chosen, secret }) => {
  const id = useId();
  const origin = placeOfOrigin(places, chosen.value)?.origin ?? '';
  return (
    <div class="field">
      <label for={id}>{t('logins.address')}</label>
      <select
        id={id}
        value={origin}
        onChange={(event) => {
          // A secret that was typed for one origin is not sent to another.
          secret.value = '';
          chosen.value = event.currentTarget.value;
        }}
      >
        {places.map((one) => (
          <option key={one.origin} value={one.origin}>
            {one.origin}
          </option>
        ))}
      </select>
      {origin.startsWith('http:') && <p class="warn">{t('logins.inTheClear')}</p>}
    </div>
  );
};

const KindField: ComponentType<{ readonly isBearer: Signal<boolean> }> = ({ isBearer }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t('logins.kind')}</label>
      <select
        id={id}
        value={isBearer.value ? 'bearer' : 'header'}
        onChange={(event) => {
          isBearer.value = event.currentTarget.value === 'bearer';
        }}
      >
        <option value="bearer">{t('logins.bearer')}</option>
        <option value="header">{t('logins.header')}</option>
      </select>
    </div>
  );
};

/** Returns the origins of the addresses that are saved with a paper, each once. */
function placesOf({ kind, meta }: Paper): Place[] {
  const feeds: readonly unknown[] = Array.isArray(meta.calendars) ? meta.calendars : [];
  const addresses = kind === 'website' ? [meta.url] : feeds.map(addressOf);
  const places = addresses.flatMap(placeOf);
  return [...new Map(places.map((place) => [place.origin, place])).values()];
}

const addressOf = (feed: unknown): unknown =>
  typeof feed === 'object' && feed !== null && 'url' in feed ? feed.url : undefined;

/** Reads an address as the service does: `webcal:` means https. */
function placeOf(raw: unknown): Place[] {
  if (typeof raw !== 'string') return [];
  const address = raw.trim();
  const plain = address.replace(/^webcals?:/i, 'https:');
  if (!/^https?:/i.test(plain) || !URL.canParse(plain)) return [];
  return [{ origin: new URL(plain).origin, address }];
}
