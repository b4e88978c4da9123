/** One's own account: language, sessions, signing out. */
import type { ComponentType } from 'preact';
import { callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import type { Screen } from '../ground/screen.ts';
import { me, signOut } from '../ground/session.ts';
import { fullTime, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { confirmed } from '../parts/confirm.tsx';
import { countKept, forgetDraftsOf } from '../parts/drafts/keep-drafts.ts';
import { LanguageSelect } from '../parts/language-select.tsx';
import { act } from '../parts/messages.tsx';
import { Reading } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { readUserAgent } from './browser-name.ts';

/** The account's page. */
export const Account: Screen = () => {
  useTitle(t('nav.account'));
  return (
    <>
      <div class="heading">
        <h1>{me.value?.account.name ?? t('nav.account')}</h1>
        <p class="note">{me.value?.account.email}</p>
        <button type="button" onClick={() => void leave()}>
          {t('account.signOut')}
        </button>
      </div>
      <section class="card">
        <LanguageSelect class="field" />
      </section>
      <Sessions />
    </>
  );
};

/** Signs out; pictures that were not sent yet go with it, which is asked before. */
async function leave(): Promise<void> {
  const account = me.peek()?.account.id ?? '';
  const count = await countKept(account);
  const asked = { title: t('account.unsentTitle'), text: t('account.unsent', { count }), yes: t('account.signOut') };
  if (count > 0 && !(await confirmed(asked))) return;
  if (await act(signOut)) await forgetDraftsOf(account);
}

const Sessions: ComponentType = () => {
  const sessions = useResource((signal) => callApi('GET /sessions/', { signal }), []);
  if (sessions.problem !== undefined || sessions.value === undefined) return <Reading of={sessions} />;
  const end = async (id: string): Promise<void> => {
    if (await act(() => callApi('DELETE /sessions/{sessionId}', { path: { sessionId: id } }), t('account.ended')))
      await sessions.reload();
  };
  return (
    <section class="card">
      <h2>{t('account.sessions')}</h2>
      <p class="note">{t('account.sessionsHint')}</p>
      <ul class="rows">
        {sessions.value.map(({ id, browser, usedAt, endsAt, isCurrent }) => (
          <li key={id}>
            <span title={browser ?? undefined}>{browserWords(browser)}</span>
            <span class="note" title={fullTime(usedAt)}>
              {isCurrent ? t('account.thisOne') : t('account.used', { when: relativeTime(usedAt) })}
            </span>
            <span class="note">{t('account.ends', { when: relativeTime(endsAt) })}</span>
            {!isCurrent && (
              <button type="button" onClick={() => void end(id)}>
                {t('account.end')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The browser and its system, as far as the session's user agent names them; else its own words. */
function browserWords(agent: string | null): string {
  if (agent === null) return t('account.unknownBrowser');
  const { browser, system } = readUserAgent(agent);
  return browser === undefined || system === undefined
    ? (browser ?? system ?? agent)
    : t('account.browserOn', { browser, system });
}
