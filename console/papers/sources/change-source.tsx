/** Another login, link or search for a source that is kept; what was entered before is never shown. */
import { useSignal } from '@preact/signals';
import { type BodyOf, callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import type { SourceKind } from './source-kinds.ts';
import type { AlbumSource } from './sources-book.ts';
import { TrialLine } from './trial-line.tsx';
import { TriedField } from './tried-field.tsx';
import { useTrial } from './use-trial.ts';
import { isWholeAddress } from './whole-address.ts';

type Change = NonNullable<BodyOf<'POST /papers/{paperId}/sources/{sourceId}'>>;
type ChangeField = 'apiKey' | 'user' | 'password' | 'address' | 'search';

/** The fields that can be entered again of each kind. */
const fieldsOf: Readonly<Record<string, readonly ChangeField[]>> = {
  immich: ['apiKey', 'password'],
  webdav: ['user', 'password'],
  icloud: ['address'],
  feed: ['address'],
  museum: ['search'],
};

/** Returns what of a source can be changed here: its login, its address or its search; undefined for a folder. */
export function changesOf(kind: string): 'login' | 'address' | 'search' | undefined {
  const [first] = fieldsOf[kind] ?? [];
  if (first === undefined) return undefined;
  return first === 'address' || first === 'search' ? first : 'login';
}

interface ChangeSourceProps {
  readonly paperId: string;
  readonly source: AlbumSource;
  readonly done: () => Promise<void>;
}

/** Draws the form, which is tried while it is typed. */
export const ChangeSource = ({ paperId, source, done }: ChangeSourceProps) => {
  const { id: sourceId, title } = source;
  const kind = source.kind as SourceKind;
  const names = fieldsOf[kind] ?? [];
  const typed: Readonly<Record<ChangeField, ReturnType<typeof useSignal<string>>>> = {
    apiKey: useSignal(''),
    user: useSignal(''),
    password: useSignal(''),
    address: useSignal(''),
    search: useSignal(''),
  };
  const change: Change = Object.fromEntries(
    names.map((name) => [name, typed[name].value?.trim() ?? '']).filter(([, text]) => text !== ''),
  );
  const isWhole =
    Object.keys(change).length > 0 &&
    (change.address === undefined || isWholeAddress(kind, change.address)) &&
    (kind !== 'webdav' || change.password !== undefined);
  const trial = useTrial({
    paperId,
    kind,
    trial: isWhole ? { sourceId, change } : undefined,
    place: isWhole ? change : undefined,
    isSecret: names.includes('password'),
  });
  const isReady = isWhole && trial.isCurrent && trial.problem === undefined;
  const save = async (): Promise<void> => {
    if (!isReady) return;
    const path = { paperId, sourceId };
    const call = () => callApi('POST /papers/{paperId}/sources/{sourceId}', { path, body: change });
    if (await act(call, t('sources.changed', { title }))) await done();
  };
  return (
    <Form class="paper-form" autocomplete="off" noValidate submit={save}>
      {names.map((name, at) => (
        <TriedField
          key={name}
          label={labelOf(kind, name)}
          type={name === 'apiKey' || name === 'password' ? 'password' : 'text'}
          value={typed[name] as { value: string }}
          problem={at === 0 ? trial.problem?.text : undefined}
          {...(at === names.length - 1 && { hint: t('sources.changeHint') })}
        />
      ))}
      <TrialLine trial={trial} isChosen isBegun={isWhole} />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isReady}>
          {t('state.save')}
        </button>
      </div>
    </Form>
  );
};

function labelOf(kind: SourceKind, name: ChangeField): string {
  if (name === 'address') return t(kind === 'icloud' ? 'sources.address.icloud' : 'sources.address.feed');
  if (name === 'search') return t('sources.museumSearch');
  if (name === 'password' && kind === 'immich') return t('sources.linkPassword');
  return t(`sources.${name}`);
}
