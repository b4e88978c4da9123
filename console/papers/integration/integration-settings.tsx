/** The settings of a paper's integration: the form that its manifest describes, and its own settings page. */
import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import type { Paper } from '../../ground/paper-book.ts';
import { asProblem, useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import type { Screen } from '../../ground/screen.ts';
import { t } from '../../ground/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loading, ProblemBox, problemText } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { readPaper } from '../draft/paper-draft.ts';
import { loadMessages } from './frame-modules.ts';
import { type IntegrationFound, ManifestFields } from './manifest-fields.tsx';
import { SettingsSaver } from './save-settings.ts';
import { SettingsFrame } from './settings-frame.tsx';

/** The data with which the screen begins. */
interface Opened {
  readonly found: IntegrationFound;
  readonly paper: Paper;
}

/** The screen: `papers/<id>/settings`. */
export const IntegrationSettings: Screen = ({ rest: [paperId = ''] }) => {
  const saver = useMemo(() => new SettingsSaver(paperId), [paperId]);
  const opened = useResource<Opened>(() => open(paperId, saver), [paperId]);
  useTitle(opened.value?.found.name ?? t('integration.settings'));
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (saver.isBusy) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [saver]);
  return (
    <>
      <a class="back" href={hrefOf(`papers/${paperId}`)}>
        <Icon name="back" />
        <span>{t('integration.toPaper')}</span>
      </a>
      {opened.value !== undefined && <Settings {...opened.value} saver={saver} />}
      {opened.value === undefined && <h1>{t('integration.settings')}</h1>}
      {opened.value === undefined && opened.problem !== undefined && (
        <ProblemBox problem={opened.problem} again={() => void opened.reload()} />
      )}
      {opened.value === undefined && opened.problem === undefined && <Loading />}
    </>
  );
};

const Settings = ({ found, paper, saver }: Opened & { readonly saver: SettingsSaver }) => {
  const { settingsPage } = found;
  return (
    <>
      <div class="heading">
        <h1 id="title" dir="auto">
          {found.name}
        </h1>
        <p id="subtitle" class="note">
          {t('integration.settingsOf', { title: paper.title })}
        </p>
      </div>
      <SaverProblem saver={saver} />
      <div class="integration-settings">
        <ManifestFields found={found} paper={paper} saver={saver} />
        {settingsPage !== undefined && (
          <SettingsFrame paperId={paper.id} found={found} settingsUrl={settingsPage} saver={saver} />
        )}
      </div>
    </>
  );
};

const SaverProblem = ({ saver }: { readonly saver: SettingsSaver }) => {
  const isFailed = useComputed(() => saver.state.value === 'failed');
  if (saver.problem.value === undefined) return null;
  return (
    <div id="problem" class="problem" role="alert">
      <p>{saver.problem}</p>
      {isFailed.value && (
        <button id="again" type="button" onClick={() => void saver.save()}>
          {t('state.again')}
        </button>
      )}
    </div>
  );
};

/** The query with which a login elsewhere sent the person back. It leaves the address at once. */
const returned = ((): { token: string | null; settings: string | null } => {
  const { searchParams } = new URL(location.href);
  const found = {
    token: searchParams.get('tempToken') ?? searchParams.get('integrationTempToken'),
    settings: searchParams.get('settings') ?? searchParams.get('integrationSettings'),
  };
  history.replaceState(null, '', location.pathname);
  return found;
})();

async function open(paperId: string, saver: SettingsSaver): Promise<Opened> {
  const why = await takeReturned(paperId, saver);
  const [found, paper] = await Promise.all([
    callApi('GET /v1/integration-papers/papers/{paperId}/settings-page', { path: { paperId } }),
    readPaper(paperId),
  ]);
  if (why !== undefined) saver.problem.value = t('integration.notTaken', { reason: why });
  return { found, paper };
}

/**
 * Merges the settings that came back. Without the token that was sent along they may be anybody's and are left alone
 * (T-57). Returns why they were not taken.
 */
async function takeReturned(paperId: string, saver: SettingsSaver): Promise<string | undefined> {
  const { token, settings } = returned;
  if (token === null || settings === null) return undefined;
  const read = (await loadMessages()).readPatch(asJson(settings));
  if (read.kind === 'refused') return read.why;
  try {
    await callApi('POST /v1/papers/{paperId}/plugin-redirect-redeem', {
      path: { paperId },
      body: { tempToken: token },
    });
  } catch (error) {
    const problem = asProblem(error);
    // It is asked again once the person has signed in.
    if (problem.status === 401) throw error;
    returned.token = null;
    return problemText(problem);
  }
  returned.token = null;
  await saver.add(read.patch);
  return undefined;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
