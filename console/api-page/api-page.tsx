/** The API's description to read and to search. It needs no session: the description is public. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { apiBase } from '../ground/base.ts';
import { fetchApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { t } from '../ground/words.ts';
import { Icon } from '../parts/icon.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { type Call, callsOf, type Description, type Operation, type Row, tablesOf, wordsOf } from './description.ts';

/** The screen: `api`, and an operation's id after `#`. */
export const ApiPage: Screen = () => {
  const description = useResource<Description>(
    async (signal) => (await fetchApi('GET /openapi.json', { signal })).json(),
    [],
  );
  const words = useSignal('');
  useTitle('API');
  return (
    <>
      <header class="api-head">
        <a class="brand" href={hrefOf('')}>
          <Icon name="brand" />
          <span>Papergate</span>
        </a>
        <input
          type="search"
          placeholder={t('api.search')}
          aria-label={t('api.search')}
          value={words}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
        <a href={`${apiBase}openapi.json`}>openapi.json</a>
      </header>
      <main class="api-page" id="content">
        <h1>API</h1>
        {description.value !== undefined && <Described api={description.value} words={words.value} />}
        {description.problem !== undefined && (
          <ProblemBox problem={description.problem} again={() => void description.reload()} />
        )}
        {description.value === undefined && description.problem === undefined && <Loading />}
      </main>
    </>
  );
};

const Described = ({ api, words }: { readonly api: Description; readonly words: string }) => {
  const all = useMemo(() => callsOf(api).map((call) => ({ call, says: wordsOf(api, call) })), [api]);
  const wanted = words.toLowerCase().split(/\s+/);
  const calls = all.filter(({ says }) => wanted.every((word) => says.includes(word))).map(({ call }) => call);
  useEffect(() => {
    const named = document.getElementById(location.hash.slice(1));
    if (!(named instanceof HTMLDetailsElement)) return;
    named.open = true;
    named.scrollIntoView();
  }, []);
  return (
    <>
      <p lang="en">{api.info.description}</p>
      <p role="status" class="note">
        {t('api.found', { count: calls.length })}
      </p>
      {api.tags.map(({ name, description }) => {
        const own = calls.filter(({ operation }) => operation.tags.includes(name));
        if (own.length === 0) return null;
        return (
          <section key={name} lang="en">
            <h2>{name}</h2>
            <p class="note">{description}</p>
            {own.map((call) => (
              <OperationBox key={call.operation.operationId} api={api} call={call} />
            ))}
          </section>
        );
      })}
    </>
  );
};

/** Draws an operation. Its tables are drawn once it is opened: there are hundreds. */
const OperationBox = ({ api, call }: { readonly api: Description; readonly call: Call }) => {
  const { method, path, webhook, operation } = call;
  const isOpen = useSignal(false);
  return (
    <details
      class="operation"
      id={operation.operationId}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>
        <span class={`method ${method}`}>{method}</span>
        <code>{path ?? `the integration's ${webhook}`}</code>
        <span class="note">{operation.summary}</span>
      </summary>
      {isOpen.value && <Inside api={api} operation={operation} />}
    </details>
  );
};

const Inside = ({ api, operation }: { readonly api: Description; readonly operation: Operation }) => {
  return (
    <div class="inside">
      {(operation.description ?? '')
        .split('\n\n')
        .map((paragraph) => paragraph !== '' && <p key={paragraph}>{paragraph}</p>)}
      <p class="note">{accessOf(operation)}</p>
      {tablesOf(api, operation).map(({ title, rows }) => (
        <Rows key={title} title={title} rows={rows} />
      ))}
    </div>
  );
};

/** Describes the credential that a call needs. */
function accessOf({ security }: Operation): string {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  if (names.length === 0) return 'Needs no credential.';
  if (names.includes('callbackToken')) return 'Sent with the callback token of the connection as bearer token.';
  if (names.includes('connectionToken')) return 'Needs the content token of the connection as bearer token.';
  return 'Needs x-api-key, or a bearer token.';
}

const Rows = ({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) => (
  <>
    <h3>{title}</h3>
    <table>
      <tbody>
        {rows.map(({ name, type, required, description }, at) => (
          <tr key={`${name} ${at}`}>
            <td>
              <code>{name}</code>
            </td>
            <td>{type}</td>
            <td>{[required ? 'required' : '', description].filter((word) => word !== '').join('; ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
);
