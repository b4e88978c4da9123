/** The credentials of the frame: which there are, renewing, new ones for another board, revoking. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { CredentialsMade, CredentialsShown } from '../../../api/routes/devices/credential-routes.ts';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { CheckField } from '../../parts/choice-field.tsx';
import { confirmed } from '../../parts/confirm.tsx';
import { act, say } from '../../parts/messages.tsx';
import { Loading, ProblemBox } from '../../parts/states.tsx';
import { CredentialFiles } from './credential-files.tsx';

interface CredentialsProps {
  readonly id: string;
  readonly serial: string;
}

const overlapDays = 30;

/** Draws the credentials. */
export const FrameCredentials: ComponentType<CredentialsProps> = ({ id, serial }) => {
  const path = `/devices/${id}/credentials`;
  const known = useResource<CredentialsShown>((signal) => callApi(path, { signal }), [path]);
  return (
    <section class="card" aria-labelledby="credentials">
      <h2 id="credentials">{t('credentials.title')}</h2>
      {known.value === undefined && known.problem === undefined && <Loading />}
      {known.value === undefined && known.problem !== undefined && (
        <ProblemBox problem={known.problem} again={() => void known.reload()} />
      )}
      {known.value !== undefined && <Known known={known.value} />}
      {known.value !== undefined && <CredentialActions path={path} serial={serial} reload={known.reload} />}
    </section>
  );
};

const Known: ComponentType<{ readonly known: CredentialsShown }> = ({ known: { certificates, hasPassword } }) => {
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

interface CredentialActionsProps {
  readonly path: string;
  readonly serial: string;
  readonly reload: () => Promise<void>;
}

const CredentialActions: ComponentType<CredentialActionsProps> = ({ path, serial, reload }) => {
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
      const body = { password: withPassword.value, ...(how === 'renew' && { overlapDays }) };
      made.value = await callApi<CredentialsMade>(how === 'renew' ? `${path}/renew` : path, { method: 'POST', body });
    });
  const revoke = async (): Promise<void> => {
    const question = {
      title: t('credentials.revokeTitle', { serial }),
      text: t('credentials.revokeText'),
      yes: t('credentials.revoke'),
    };
    if (!(await confirmed(question))) return;
    await during(async () => {
      const { revoked } = await callApi<{ revoked: number }>(path, { method: 'DELETE' });
      made.value = undefined;
      say(t('credentials.revoked', { count: revoked }));
    });
  };
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
        <button type="button" class="danger" disabled={isBusy.value} onClick={() => void revoke()}>
          {t('credentials.revoke')}
        </button>
      </div>
      <p class="note">{t('credentials.hint', { days: t('frame.days', { count: overlapDays }) })}</p>
    </>
  );
};
