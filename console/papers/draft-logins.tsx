/** A login for an address of a calendar that is not made yet: it is tried at once, and stored with the paper. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { t } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { ChoiceField } from '../parts/choice-field.tsx';
import { Field } from '../parts/field.tsx';
import type { PaperDraft } from './paper-draft.ts';

interface DraftLoginsProps {
  readonly draft: PaperDraft;
  readonly address: string;
}

/** Draws the fields; the login goes to this address alone. */
export const DraftLogins: ComponentType<DraftLoginsProps> = ({ draft, address }) => {
  const [header, secret] = [useSignal(''), useSignal('')];
  const isBearer = useSignal(true);
  const use = (): void => {
    const login = isBearer.value ? { bearer: secret.value } : { header: header.value.trim(), value: secret.value };
    draft.logins.value = [...draft.logins.value.filter((other) => other.address !== address), { address, ...login }];
  };
  const isWhole = secret.value !== '' && (isBearer.value || header.value.trim() !== '');
  return (
    <details>
      <summary>{t('logins.needed')}</summary>
      <div class="line-form">
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
        {!isBearer.value && <Field label={t('logins.headerName')} value={header} maxLength={64} autocomplete="off" />}
        <Field
          label={isBearer.value ? t('logins.token') : t('logins.value')}
          type="password"
          value={secret}
          maxLength={4_000}
          autocomplete="off"
        />
        <button type="button" disabled={!isWhole} onClick={use}>
          {t('logins.tryIt')}
        </button>
      </div>
    </details>
  );
};
