/** The fields of a login for an address: a bearer token, or a header of its own. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { t } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { ChoiceField } from '../parts/choice-field.tsx';
import { Field } from '../parts/field.tsx';

/** What is typed of a login. */
export interface TypedLogin {
  readonly isBearer: Signal<boolean>;
  readonly header: Signal<string>;
  readonly secret: Signal<string>;
}

/** A login that is being typed; nothing of it is kept. */
export const useTypedLogin = (): TypedLogin => ({
  isBearer: useSignal(true),
  header: useSignal(''),
  secret: useSignal(''),
});

/** Whether nothing is missing of it. */
export const isWholeLogin = ({ isBearer, header, secret }: TypedLogin): boolean =>
  secret.value !== '' && (isBearer.value || header.value.trim() !== '');

/** Returns the login as the API takes it. */
export const readTypedLogin = ({ isBearer, header, secret }: TypedLogin) =>
  isBearer.value ? { bearer: secret.value } : { header: header.value.trim(), value: secret.value };

interface LoginFieldsProps {
  readonly login: TypedLogin;
  /** What becomes of the secret. */
  readonly secretHint?: string;
}

/** Draws the fields. */
export const LoginFields: ComponentType<LoginFieldsProps> = ({ login: { isBearer, header, secret }, secretHint }) => (
  <>
    <ChoiceField
      label={t('logins.kind')}
      value={bound(isBearer.value ? 'bearer' : 'header', (kind) => {
        isBearer.value = kind === 'bearer';
      })}
      choices={[
        ['bearer', t('logins.bearer')],
        ['header', t('logins.header')],
      ]}
    />
    {!isBearer.value && (
      <Field
        label={t('logins.headerName')}
        value={header}
        hint={t('logins.headerHint')}
        maxLength={64}
        autocomplete="off"
      />
    )}
    <Field
      label={isBearer.value ? t('logins.token') : t('logins.value')}
      type="password"
      value={secret}
      hint={secretHint}
      maxLength={4_000}
      autocomplete="new-password"
    />
  </>
);
