/** Signing in: what most people can do in front, what is for anyone who runs the service behind a disclosure. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { apiBase } from '../ground/base.ts';
import { type AnswerOf, type BodyOf, callApi, type Problem } from '../ground/call-api.ts';
import { entryCode, forgetEntry } from '../ground/entry.ts';
import { asProblem, useResource } from '../ground/resource.ts';
import { goOn, hasEnded, signIn } from '../ground/session.ts';
import { commandName, t, tCode } from '../ground/words.ts';
import type { Bound } from '../parts/bound.ts';
import { Field, Form } from '../parts/forms/field.tsx';
import { LanguageSelect } from '../parts/forms/language-select.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemBox, Reading } from '../parts/states.tsx';
import { WallDrawing } from '../parts/wall-drawing.tsx';
import { FirstRun } from './first-run.tsx';
import { MailForm } from './mail-form.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { StayField } from './stay-field.tsx';

/** Why nobody came back from the identity provider, as `GET /sessions/provider/return` says it. */
function takeProviderProblem(): string | undefined {
  const problem = /^#problem=([\w-]+)$/.exec(location.hash)?.[1];
  if (problem !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return problem;
}

/** The page of somebody who is not signed in. */
export const SignIn = () => {
  const ways = useResource((signal) => callApi('GET /sessions/ways', { signal }), []);
  const problem = useSignal<Problem | undefined>(undefined);
  const providerProblem = useSignal<string | undefined>(undefined);
  const stays = useSignal(false);
  const enter = async (given: BodyOf<'POST /sessions/'>): Promise<void> => {
    problem.value = undefined;
    try {
      await signIn({ stays: stays.value, ...given });
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  useEffect(() => {
    providerProblem.value = takeProviderProblem();
  }, []);
  const isFirst = ways.value?.firstRun === true;
  const code = entryCode('code');
  useEffect(() => {
    if (ways.value === undefined || isFirst || code === undefined) return;
    void enter({ code }).then(() => {
      // A link that was tried is used or no longer works; where nobody answered it is tried again after a reload.
      if (problem.peek()?.status !== 0) forgetEntry();
    });
  }, [ways.value, code]);
  if (ways.problem !== undefined || ways.value === undefined) return <Reading of={ways} />;
  return (
    <main class="sign-in">
      <WallDrawing />
      <h1>
        <Icon name="brand" /> Papergate
      </h1>
      {hasEnded.value && <p role="status">{t('signIn.ended')}</p>}
      {problem.value && <ProblemBox problem={problem.value} />}
      {providerProblem.value !== undefined && (
        <p class="problem" role="alert">
          {tCode('providerProblem', providerProblem.value)}
        </p>
      )}
      {isFirst ? <FirstRun enter={enter} /> : <Ways ways={ways.value} stays={stays} enter={enter} />}
      <LanguageSelect class="language" />
      {hasEnded.value && (
        <button type="button" class="plain" onClick={() => void goOn()}>
          {t('signIn.recheck')}
        </button>
      )}
    </main>
  );
};

interface WaysProps {
  readonly ways: AnswerOf<'GET /sessions/ways'>;
  readonly stays: Bound<boolean>;
  readonly enter: (given: BodyOf<'POST /sessions/'>) => Promise<void>;
}

const Ways = ({ ways: { provider, mail }, stays, enter }: WaysProps) => (
  <>
    <PasskeySignIn stays={stays.value} />
    {provider !== null && (
      <a class="button" href={`${apiBase}sessions/provider${stays.value ? '?stays=1' : ''}`}>
        {t('signIn.provider', { name: provider.name })}
      </a>
    )}
    <StayField value={stays} />
    {mail && <MailForm />}
    <div class="ask">
      <p>{t('signIn.ask')}</p>
      <p class="note">{t('signIn.askDevice')}</p>
    </div>
    <details>
      <summary>{t('signIn.operator')}</summary>
      <KeyForm enter={enter} />
    </details>
  </>
);

const KeyForm = ({ enter }: Pick<WaysProps, 'enter'>) => {
  const key = useSignal('');
  return (
    <Form autocomplete="off" submit={() => enter({ apiKey: key.value.trim() })}>
      <p>{t('signIn.linkHint')}</p>
      <pre>{commandName()} console</pre>
      <Field label={t('signIn.key')} type="password" value={key} autocomplete="off" required />
      <button type="submit" disabled={key.value.trim() === ''}>
        {t('signIn.enter')}
      </button>
    </Form>
  );
};
