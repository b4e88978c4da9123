/** The fields of a login for an address: a token, a user and password, a header of its own, or a value in the page's storage. */
import { type Signal, useSignal } from '@preact/signals';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field } from '../../parts/forms/field.tsx';

const kinds = ['bearer', 'password', 'header', 'storage'] as const;
type LoginKind = (typeof kinds)[number];

export interface TypedLogin {
  readonly kind: Signal<LoginKind>;
  /** The name of the header, or the key in the storage. */
  readonly header: Signal<string>;
  readonly user: Signal<string>;
  readonly secret: Signal<string>;
}

/** A login that is being typed; nothing of it is kept. */
export const useTypedLogin = (): TypedLogin => ({
  kind: useSignal<LoginKind>('bearer'),
  header: useSignal(''),
  user: useSignal(''),
  secret: useSignal(''),
});

/** Whether nothing is missing of it. */
export const isWholeLogin = ({ kind, header, user, secret }: TypedLogin): boolean =>
  secret.value !== '' && (kind.value === 'bearer' || (kind.value === 'password' ? user : header).value.trim() !== '');

/** Returns the login as the API takes it. */
export const readTypedLogin = ({ kind, header, user, secret }: TypedLogin) => {
  if (kind.value === 'bearer') return { bearer: secret.value };
  if (kind.value === 'header') return { header: header.value.trim(), value: secret.value };
  if (kind.value === 'storage') return { storageKey: header.value.trim(), value: secret.value };
  return { header: 'authorization', value: `Basic ${base64Of(`${user.value}:${secret.value}`)}` };
};

/** Writes a text as RFC 7617 has it, in UTF-8. */
const base64Of = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const secretLabel = (kind: LoginKind): string =>
  ({
    bearer: t('logins.token'),
    password: t('logins.passwordOf'),
    header: t('logins.value'),
    storage: t('logins.storageValue'),
  })[kind];

interface LoginFieldsProps {
  readonly login: TypedLogin;
  /** A hint about the use of the secret. */
  readonly secretHint?: string;
}

/** Draws the fields. */
export const LoginFields = ({ login: { kind, header, user, secret }, secretHint }: LoginFieldsProps) => (
  <>
    <ChoiceField
      label={t('logins.kind')}
      value={bound(kind.value, (chosen) => {
        kind.value = kinds.find((one) => one === chosen) ?? 'bearer';
      })}
      choices={kinds.map((one) => [one, t(`logins.${one}`)])}
    />
    {kind.value === 'password' && (
      <Field label={t('logins.user')} value={user} maxLength={200} autocomplete="off" dir="auto" />
    )}
    {kind.value === 'header' && (
      <Field
        label={t('logins.headerName')}
        value={header}
        hint={t('logins.headerHint')}
        maxLength={64}
        autocomplete="off"
      />
    )}
    {kind.value === 'storage' && (
      <Field
        label={t('logins.storageKey')}
        value={header}
        hint={t('logins.storageHint')}
        maxLength={100}
        autocomplete="off"
      />
    )}
    <Field
      label={secretLabel(kind.value)}
      type="password"
      value={secret}
      hint={secretHint}
      maxLength={kind.value === 'password' ? 500 : 4_000}
      autocomplete="new-password"
    />
  </>
);
