/** The credentials of the frame: which there are, renewing, new ones for another board; and revoking them all. */

import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { CheckField } from '../../parts/forms/choice-field.tsx';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { act, say } from '../../parts/messages.tsx';
import { CredentialFiles } from './credential-files.tsx';
import { Danger } from './dangers.tsx';

type CredentialsMade = Schemas['FrameCredentials'];
type CredentialsShown = AnswerOf<'GET /devices/{deviceId}/credentials'>;

const overlapDays = 30;

/** Draws the credentials. */
export const FrameCredentials = ({ id }: { readonly id: string }) => {
  const known = useResource<CredentialsShown>(
    (signal) => callApi('GET /devices/{deviceId}/credentials', { path: { deviceId: id }, signal }),
    [id],
  );
  return (
    <Card id="credentials" title={t('credentials.title')} of={known} isQuiet>
      {known.value !== undefined && <Known known={known.value} />}
      {known.value !== undefined && <CredentialActions id={id} reload={known.reload} />}
    </Card>
  );
};

const Known = ({ known: { certificates, hasPassword } }: { readonly known: CredentialsShown }) => {
  const valid = certificates.filter(({ state }) => state === 'valid');
  return (
    <>
      {valid.length === 0 && !hasPassword && <p class="warn">{t('credentials.none')}</p>}
      <ul class="rows">
        {valid.map(({ fingerprint, createdAt, endsAt, madeBy }) => (
          <li key={fingerprint}>
            <span title={fingerprint}>{t('credentials.certificate', { when: clockTime(createdAt) })}</span>
            <span class="note">{t(`credentials.${madeBy}`)}</span>
            <time class="note" dateTime={endsAt} title={fullTime(endsAt)}>
              {t('credentials.ends', { when: clockTime(endsAt) })}
            </time>
          </li>
        ))}
        {hasPassword && (
          <li>
            <span>{t('credentials.password')}</span>
          </li>
        )}
      </ul>
    </>
  );
};

const CredentialActions = ({ id, reload }: { readonly id: string; readonly reload: () => Promise<void> }) => {
  const path = { deviceId: id };
  const made = useSignal<CredentialsMade | undefined>(undefined);
  const withPassword = useSignal(false);
  const isBusy = useSignal(false);
  const during = async (run: () => Promise<void>): Promise<void> => {
    isBusy.value = true;
    await act(run);
    isBusy.value = false;
    await reload();
  };
  const make = (how: 'renew' | 'anew') =>
    during(async () => {
      const password = withPassword.value;
      made.value =
        how === 'renew'
          ? await callApi('POST /devices/{deviceId}/credentials/renew', { path, body: { password, overlapDays } })
          : await callApi('POST /devices/{deviceId}/credentials', { path, body: { password } });
    });
  return (
    <>
      {made.value !== undefined && <CredentialFiles key={made.value.certificate} made={made.value} />}
      <CheckField label={t('credentials.withPassword')} value={withPassword} />
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => void make('renew')}>
          {t('credentials.renew')}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void make('anew')}>
          {t('credentials.anew')}
        </button>
      </div>
      <p class="note">{t('credentials.hint', { days: t('frame.days', { count: overlapDays }) })}</p>
    </>
  );
};

/** Draws what takes all credentials from the frame; it asks first. */
export const RevokeCredentials = ({
  id,
  serial,
  revoked,
}: {
  readonly id: string;
  readonly serial: string;
  readonly revoked: () => void;
}) => {
  const isBusy = useSignal(false);
  const revoke = async (): Promise<void> => {
    const question = {
      title: t('credentials.revokeTitle', { serial }),
      text: t('credentials.revokeText'),
      yes: t('credentials.revoke'),
    };
    if (!(await confirmed(question))) return;
    isBusy.value = true;
    await act(async () => {
      const { revoked: count } = await callApi('DELETE /devices/{deviceId}/credentials', { path: { deviceId: id } });
      say(t('credentials.revoked', { count }));
    });
    isBusy.value = false;
    revoked();
  };
  return (
    <Danger text={t('credentials.revokeText')} label={t('credentials.revoke')} isBusy={isBusy.value} act={revoke} />
  );
};
