/** The form of a new source: its fields, which are tried while they are typed, and what is chosen there. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { CheckField, ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { ChoiceTiles } from './choice-tiles.tsx';
import { ImmichParts } from './immich-parts.tsx';
import { enteredPlace, enteredSource, museums, needsChoice, type SourceFields, sourceFields } from './source-fields.ts';
import type { SourceField, SourceKind } from './source-kinds.ts';
import type { AlbumSource } from './sources-book.ts';
import { TrialLine } from './trial-line.tsx';
import { TriedField } from './tried-field.tsx';
import { type TrialState, useTrial } from './use-trial.ts';
import { isCloudLink, isImmichLink } from './whole-address.ts';

interface SourceFormProps {
  readonly paperId: string;
  readonly kind: SourceKind;
  /** The folders of the machine that the operator offers. */
  readonly folders: readonly string[];
  readonly added: (source: AlbumSource) => void;
}

/** Draws the form. */
export const SourceForm = ({ paperId, kind, folders, added }: SourceFormProps) => {
  const fields = useMemo(() => sourceFields(kind, folders[0]), [kind]);
  const title = useSignal('');
  const place = enteredPlace(fields);
  const whole = enteredSource(fields);
  const source = whole ?? place;
  const trial = useTrial({
    paperId,
    kind,
    trial: source === undefined ? undefined : { source },
    place,
    isSecret: kind === 'webdav' && fields.password.value !== '',
  });
  const isReady = whole !== undefined && trial.isCurrent && trial.problem === undefined;
  const add = async (): Promise<void> => {
    if (!isReady) return;
    await act(async () => {
      const named = title.value.trim() === '' ? {} : { title: title.value.trim() };
      added(await callApi('POST /papers/{paperId}/sources/', { path: { paperId }, body: { source: whole, ...named } }));
    });
  };
  return (
    <Form class="paper-form" autocomplete="off" noValidate submit={add}>
      <KindFields fields={fields} folders={folders} problemAt={problemAt(trial)} />
      <Choices paperId={paperId} fields={fields} trial={trial} />
      <TrialLine trial={trial} isChosen={whole !== undefined} isBegun={place !== undefined} />
      {isReady && (
        <Field
          label={t('sources.title')}
          value={title}
          placeholder={trial.tried?.title ?? ''}
          hint={t('sources.titleHint')}
          maxLength={100}
        />
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={!isReady}>
          {t('sources.add')}
        </button>
      </div>
      {kind === 'immich' && <p class="note">{t('sources.immich.more')}</p>}
    </Form>
  );
};

type ProblemAt = (field: SourceField) => string | undefined;

const problemAt =
  ({ problem }: TrialState): ProblemAt =>
  (field) =>
    problem?.field === field ? problem.text : undefined;

interface KindFieldsProps {
  readonly fields: SourceFields;
  readonly folders: readonly string[];
  readonly problemAt: ProblemAt;
}

/** Draws the fields of a kind. */
const KindFields = ({ fields, folders, problemAt: at }: KindFieldsProps) => {
  const { kind, address, root, museum, search } = fields;
  if (kind === 'folder')
    return (
      <>
        <ChoiceField label={t('sources.root')} value={root} choices={folders.map((name) => [name, name] as const)} />
        {at('root') !== undefined && (
          <p class="said bad" role="alert">
            {at('root')}
          </p>
        )}
      </>
    );
  if (kind === 'museum')
    return (
      <>
        <ChoiceField
          label={t('sources.museum')}
          value={museum}
          choices={museums.map((name) => [name, t(`sources.museum.${name}`)] as const)}
        />
        <TriedField
          label={t('sources.museumSearch')}
          type="search"
          value={search}
          hint={t('sources.museumHint')}
          problem={at('search')}
        />
      </>
    );
  return (
    <>
      <TriedField
        label={t(`sources.address.${kind}`)}
        value={address}
        hint={t(`sources.addressHint.${kind}`)}
        placeholder={placeholders[kind]}
        problem={at('address')}
      />
      <LoginFields fields={fields} problem={at('login')} />
    </>
  );
};

const placeholders = {
  immich: 'https://photos.example.org',
  webdav: 'https://cloud.example.org/s/…',
  icloud: 'https://www.icloud.com/sharedalbum/#…',
  feed: 'https://example.org/photos.rss',
} as const;

/** Draws what opens an address; a shared link has a password at most. */
const LoginFields = ({ fields, problem }: { readonly fields: SourceFields; readonly problem: string | undefined }) => {
  const { kind, address, apiKey, user, password } = fields;
  const isLink = kind === 'immich' ? isImmichLink(address.value) : isCloudLink(address.value);
  if (kind === 'immich' && !isLink)
    return (
      <TriedField
        label={t('sources.apiKey')}
        type="password"
        value={apiKey}
        hint={t('sources.apiKeyHint')}
        problem={problem}
      />
    );
  if (kind !== 'immich' && kind !== 'webdav') return null;
  return (
    <>
      {!isLink && <TriedField label={t('sources.user')} value={user} problem={problem} />}
      <TriedField
        label={t(isLink ? 'sources.linkPassword' : 'sources.password')}
        type="password"
        value={password}
        hint={t(isLink ? 'sources.linkPasswordHint' : 'sources.passwordHint')}
        problem={isLink ? problem : undefined}
      />
    </>
  );
};

interface ChoicesProps {
  readonly paperId: string;
  readonly fields: SourceFields;
  readonly trial: TrialState;
}

/** Draws what can be chosen at the place, once it has answered. */
const Choices = ({ paperId, fields, trial: { tried, problem } }: ChoicesProps) => {
  const place = enteredPlace(fields);
  const choices = tried?.choices;
  if (place === undefined || choices == null) return null;
  const trial = { source: place };
  if (fields.kind === 'immich') {
    if (!needsChoice(fields)) return null;
    const at = problem?.field === 'search' ? problem.text : undefined;
    return <ImmichParts paperId={paperId} trial={trial} fields={fields} choices={choices} problem={at} />;
  }
  if (choices.length === 0) return null;
  const isFolder = fields.kind === 'folder';
  return (
    <>
      <ChoiceTiles
        paperId={paperId}
        trial={trial}
        choices={choices}
        chosen={fields.chosen}
        isSingle={isFolder}
        label={t(isFolder ? 'sources.oneFolder' : 'sources.folders')}
      />
      <CheckField label={t('sources.withSubfolders')} value={fields.withSubfolders} />
    </>
  );
};
