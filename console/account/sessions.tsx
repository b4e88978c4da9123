/** The browsers in which one is signed in. */
import { callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { endTime, fullTime, relativeTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { browserWords } from '../parts/browser-words.ts';
import { Card } from '../parts/card.tsx';
import { CheckField } from '../parts/forms/choice-field.tsx';
import { act } from '../parts/messages.tsx';
import { accountChanges, accountVersion } from './account-version.ts';

/** Draws them; anyone who stays signed in here can say otherwise. */
export const Sessions = () => {
  const sessions = useResource((signal) => callApi('GET /sessions/', { signal }), [accountVersion()]);
  const end = async (id: string): Promise<void> => {
    if (await act(() => callApi('DELETE /sessions/{sessionId}', { path: { sessionId: id } }), t('account.ended')))
      accountChanges.value += 1;
  };
  const keep = async (stays: boolean): Promise<void> => {
    await act(
      () => callApi('PATCH /sessions/current', { body: { stays } }),
      t(stays ? 'account.stays' : 'account.goes'),
    );
    await sessions.reload();
  };
  return (
    <Card id="sessions" title={t('account.sessions')} hint={t('account.sessionsHint')} of={sessions}>
      <ul class="rows">
        {sessions.value?.map(({ id, browser, usedAt, endsAt, isCurrent, stays, way }) => (
          <li key={id}>
            <span title={browser ?? undefined}>
              {browserWords(browser)} {way !== null && <span class="note">{tCode('account.way', way)}</span>}
            </span>
            <span class="note" title={fullTime(usedAt)}>
              {isCurrent ? t('account.thisOne') : t('account.used', { when: relativeTime(usedAt) })}
            </span>
            <span class="note">
              {stays
                ? t('account.endsUnused', { when: endTime(endsAt) })
                : t('account.ends', { when: endTime(endsAt) })}
            </span>
            {isCurrent ? (
              <CheckField label={t('account.stay')} value={bound(stays, (wanted) => void keep(wanted))} />
            ) : (
              <button type="button" onClick={() => void end(id)}>
                {t('account.end')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
};
