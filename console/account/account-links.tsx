/** The sign-in links that others made for one's account, or that were sent to it by mail: nobody is let in unseen. */
import { callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { endTime, fullTime, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { act } from '../parts/messages.tsx';
import { accountVersion } from './account-version.ts';

/** Draws them where there are any. */
export const AccountLinks = () => {
  const links = useResource((signal) => callApi('GET /sessions/links/', { signal }), [accountVersion()]);
  if (links.value?.length === 0) return null;
  const withdraw = async (linkId: string): Promise<void> => {
    await act(() => callApi('DELETE /sessions/links/{linkId}', { path: { linkId } }), t('links.withdrawn'));
    await links.reload();
  };
  return (
    <Card id="links" title={t('links.title')} hint={t('links.hint')} of={links}>
      <ul class="rows">
        {links.value?.map(({ id, madeBy, createdAt, endsAt, usedAt }) => (
          <li key={id}>
            <span title={fullTime(createdAt)}>
              {madeBy === null
                ? t('links.byMail', { when: relativeTime(createdAt) })
                : t('links.madeBy', { name: madeBy, when: relativeTime(createdAt) })}
            </span>
            <span class="note">{stateWords(usedAt, endsAt)}</span>
            {usedAt === null && Date.parse(endsAt) > Date.now() && (
              <button type="button" onClick={() => void withdraw(id)}>
                {t('links.withdraw')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
};

function stateWords(usedAt: string | null, endsAt: string): string {
  if (usedAt !== null) return t('links.used', { when: relativeTime(usedAt) });
  return Date.parse(endsAt) > Date.now() ? t('links.ends', { when: endTime(endsAt) }) : t('links.unused');
}
