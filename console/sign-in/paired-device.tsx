/** The page of a device that opened the code of another one: it shows a number, and waits until that was chosen there. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi, type Problem } from '../ground/call-api.ts';
import { entryCode, forgetEntry } from '../ground/entry.ts';
import { asProblem } from '../ground/resource.ts';
import { enter } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { LanguageSelect } from '../parts/forms/language-select.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { StayField } from './stay-field.tsx';

type Scanned = AnswerOf<'POST /sessions/pairing/scan'>;

const askEveryMs = 1_500;
const keptAs = 'papergate-pairing';

/** Opens the code, which works once: what came of it stays in this tab, so that a reload goes on. */
async function scan(code: string): Promise<Scanned> {
  const kept: { readonly code: string; readonly scanned: Scanned } | null = JSON.parse(
    sessionStorage.getItem(keptAs) ?? 'null',
  );
  if (kept?.code === code) return kept.scanned;
  const scanned = await callApi('POST /sessions/pairing/scan', { body: { code } });
  sessionStorage.setItem(keptAs, JSON.stringify({ code, scanned }));
  return scanned;
}

function leave(): void {
  sessionStorage.removeItem(keptAs);
  forgetEntry();
}

/** Draws the page. */
export const PairedDevice = () => {
  const code = entryCode('pair') ?? '';
  const scanned = useSignal<Scanned | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const stays = useSignal(false);
  const isOver = problem.value?.status === 401;
  const follow = async (isGone: () => boolean): Promise<void> => {
    try {
      scanned.value = await scan(code);
      const { ticket } = scanned.value;
      while (!isGone()) {
        const { isSignedIn } = await callApi('POST /sessions/pairing', { body: { ticket, stays: stays.peek() } });
        if (isSignedIn) {
          sessionStorage.removeItem(keptAs);
          await enter();
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, askEveryMs));
      }
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  const attempt = useSignal(0);
  useEffect(() => {
    let isGone = false;
    void follow(() => isGone);
    return () => {
      isGone = true;
    };
  }, [code, attempt.value]);
  const again = (): void => {
    problem.value = undefined;
    attempt.value += 1;
  };
  return (
    <main class="sign-in">
      <h1>{t(isOver ? 'paired.over' : 'paired.title')}</h1>
      {problem.value !== undefined && <ProblemBox problem={problem.value} {...(!isOver && { again })} />}
      {problem.value === undefined && scanned.value === undefined && <Loading />}
      {!isOver && scanned.value !== undefined && (
        <>
          <p>{t('paired.intro')}</p>
          <p class="paired-number">{scanned.value.number}</p>
          <p role="status">{t('paired.waits')}</p>
          <StayField value={stays} />
        </>
      )}
      <button type="button" class="plain" onClick={leave}>
        {t(isOver ? 'opened.others' : 'state.cancel')}
      </button>
      <LanguageSelect class="language" />
    </main>
  );
};
