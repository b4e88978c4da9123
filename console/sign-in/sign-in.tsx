/** Signing in: by a link, an API key or the identity provider; on a service that is new, making the first organization. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { apiBase } from '../ground/base.ts';
import { type BodyOf, callApi, type Problem } from '../ground/call-api.ts';
import { asProblem, useResource } from '../ground/resource.ts';
import { findSession, hasEnded, linkCode, signIn } from '../ground/session.ts';
import { t, tCode } from '../ground/words.ts';
import { Field, Form } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { LanguageSelect } from '../parts/language-select.tsx';
import { ProblemBox, Reading } from '../parts/states.tsx';

/** Why nobody came back from the identity provider, as `GET /sessions/provider/return` says it. */
function takeProviderProblem(): string | undefined {
  const problem = /^#problem=([\w-]+)$/.exec(location.hash)?.[1];
  if (problem !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return problem;
}

/** The page of somebody who is not signed in. */
export const SignIn: ComponentType = () => {
  const ways = useResource((signal) => callApi('GET /sessions/ways', { signal }), []);
  const problem = useSignal<Problem | undefined>(undefined);
  const providerProblem = useSignal<string | undefined>(undefined);
  const enter = async (given: BodyOf<'POST /sessions/'>): Promise<void> => {
    problem.value = undefined;
    try {
      await signIn(given);
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  useEffect(() => {
    providerProblem.value = takeProviderProblem();
  }, []);
  const isFirst = ways.value?.firstRun === true;
  useEffect(() => {
    const code = linkCode.value;
    if (ways.value === undefined || isFirst || code === undefined) return;
    linkCode.value = undefined;
    void enter({ code });
  }, [ways.value, linkCode.value]);
  if (ways.problem !== undefined || ways.value === undefined) return <Reading of={ways} />;
  return (
    <main class="sign-in">
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
      {isFirst ? <FirstRun code={linkCode.value} enter={enter} /> : <KeyForm enter={enter} />}
      {ways.value.provider !== null && !isFirst && (
        <a class="button" href={`${apiBase}sessions/provider`}>
          {t('signIn.provider', { name: ways.value.provider.name })}
        </a>
      )}
      <LanguageSelect class="language" />
      <button type="button" class="plain" onClick={() => void findSession()}>
        {t('signIn.recheck')}
      </button>
    </main>
  );
};

interface FormProps {
  readonly enter: (given: BodyOf<'POST /sessions/'>) => Promise<void>;
}

const KeyForm: ComponentType<FormProps> = ({ enter }) => {
  const key = useSignal('');
  return (
    <Form autocomplete="off" submit={() => enter({ apiKey: key.value.trim() })}>
      <p>{t('signIn.linkHint')}</p>
      <pre>npx papergate console</pre>
      <Field label={t('signIn.key')} type="password" value={key} autocomplete="off" required />
      <button type="submit" class="primary" disabled={key.value.trim() === ''}>
        {t('signIn.enter')}
      </button>
    </Form>
  );
};

const FirstRun: ComponentType<FormProps & { readonly code: string | undefined }> = ({ code, enter }) => {
  const [organization, name, email] = [useSignal(''), useSignal(''), useSignal('')];
  if (code === undefined) {
    return (
      <>
        <h2>{t('firstRun.title')}</h2>
        <p>{t('firstRun.needsLink')}</p>
        <pre>npx papergate console</pre>
      </>
    );
  }
  return (
    <Form submit={() => enter({ code, organizationName: organization.value, name: name.value, email: email.value })}>
      <h2>{t('firstRun.title')}</h2>
      <p>{t('firstRun.intro')}</p>
      <Field label={t('firstRun.organization')} value={organization} hint={t('firstRun.organizationHint')} required />
      <Field label={t('firstRun.name')} value={name} autocomplete="name" required />
      <Field label={t('firstRun.email')} value={email} type="email" autocomplete="email" required />
      <button type="submit" class="primary">
        {t('firstRun.begin')}
      </button>
    </Form>
  );
};
