/** A paper's integration: its address, what its manifest says, who is connected, and what was sent to it. */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type AnswerOf, callApi, type Problem } from '../../ground/call-api.ts';
import type { Paper } from '../../ground/paper-book.ts';
import { asProblem } from '../../ground/resource.ts';
import { hrefOf, query } from '../../ground/router.ts';
import { saidText } from '../../ground/said.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { problemText } from '../../parts/states.tsx';
import { PaperDraft } from '../draft/paper-draft.ts';
import { Callbacks } from './callbacks.tsx';
import { Connections } from './connections.tsx';

type ManifestSeen = AnswerOf<'POST /v1/integration-papers/papers/{paperId}/manifest'>;

interface IntegrationProps {
  readonly paper: Paper;
}

/** Draws everything of the integration. */
export const Integration = ({ paper }: IntegrationProps) => {
  const hasAddress = addressOf(paper) !== '';
  return (
    <>
      <Address paper={paper} />
      {hasAddress && <Connections paperId={paper.id} />}
      {hasAddress && <Callbacks paperId={paper.id} />}
    </>
  );
};

const addressOf = ({ meta }: Paper): string => (typeof meta.pluginConfigUrl === 'string' ? meta.pluginConfigUrl : '');

/** Looks at the manifest of an address. Only the answer to the last question counts. */
function useManifest(paperId: string, address: string) {
  const seen = useSignal<ManifestSeen | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const look = async (wanted: string, signal?: AbortSignal): Promise<void> => {
    try {
      const found = await callApi('POST /v1/integration-papers/papers/{paperId}/manifest', {
        path: { paperId },
        body: { configUrl: wanted },
        signal,
      });
      if (signal?.aborted) return;
      [seen.value, problem.value] = [found, undefined];
    } catch (error) {
      if (!signal?.aborted) [seen.value, problem.value] = [undefined, asProblem(error)];
    }
  };
  useEffect(() => {
    const asking = new AbortController();
    if (address !== '') void look(address, asking.signal);
    return () => asking.abort();
  }, [address]);
  return { seen, problem, look };
}

const Address = ({ paper }: IntegrationProps) => {
  const saved = addressOf(paper);
  // Anyone who comes from the gallery looks at the manifest first.
  const offered = saved === '' ? (query.peek().get('integration') ?? '') : saved;
  const typed = useSignal(offered);
  const { seen, problem, look } = useManifest(paper.id, offered);
  const wanted = typed.value.trim();
  const use = async (): Promise<void> => {
    // The manifest belongs to its address: without one the service fetches it again.
    const draft = new PaperDraft(paper);
    draft.set('pluginConfigUrl', wanted);
    draft.set('pluginManifest', undefined);
    const before = paper.meta;
    await act(
      async () => {
        if (!(await draft.save())) await draft.save();
      },
      t('integration.used'),
      async () => {
        const back = new PaperDraft(draft.base.peek());
        for (const field of ['pluginConfigUrl', 'pluginManifest']) back.set(field, before[field]);
        await back.save();
      },
    );
  };
  return (
    <Card id="paper-integration" title={t('integration.title')}>
      <Form class="line-form" submit={() => look(wanted)}>
        <Field label={t('integration.address')} type="url" value={typed} hint={t('integration.addressHint')} required />
        <button type="submit" disabled={wanted === ''}>
          {t('integration.look')}
        </button>
      </Form>
      {problem.value !== undefined && (
        <p class="warn" role="alert">
          {problemText(problem.value)}
        </p>
      )}
      {seen.value !== undefined && <Manifest seen={seen.value} />}
      <div class="actions">
        {seen.value !== undefined && wanted !== saved && (
          <button type="button" class="primary" onClick={() => void use()}>
            {saved === '' ? t('integration.use') : t('integration.useInstead')}
          </button>
        )}
        {saved !== '' && (
          <a class="button" href={hrefOf(`papers/${paper.id}/settings`)}>
            {t('integration.settings')}
          </a>
        )}
      </div>
      {saved !== '' && seen.value !== undefined && wanted !== saved && (
        <p class="note">{t('integration.useInsteadHint')}</p>
      )}
    </Card>
  );
};

const Manifest = ({ seen }: { readonly seen: ManifestSeen }) => {
  const about = useMemo(
    () => [seen.version, seen.author, new URL(seen.configUrl).host].filter((part) => part !== undefined).join(' · '),
    [seen],
  );
  return (
    <div class="manifest">
      <h3 dir="auto">{seen.name}</h3>
      <p class="note">{about}</p>
      {seen.description !== undefined && <p dir="auto">{seen.description}</p>}
      {seen.requiredPermissions.length > 0 && (
        <>
          <h4>{t('integration.permissions')}</h4>
          <ul class="permissions">
            {seen.requiredPermissions.map((name) => (
              <li key={name}>{permissionText(name)}</li>
            ))}
          </ul>
        </>
      )}
      <p class="note">{seen.pushes ? t('integration.pushes') : noPush(seen)}</p>
    </div>
  );
};

/**
 * An integration that asks for no push is complete without it; for one that asks and cannot have it, the page explains
 * why.
 */
function noPush({ whyNoPush, whyNoPushReasons }: ManifestSeen): string {
  return whyNoPush === undefined
    ? t('integration.drawsOnly')
    : t('integration.noPush', { reason: saidText(whyNoPushReasons, whyNoPush) });
}

function permissionText(name: string): string {
  if (name === 'paper:content:write') return t('integration.permission.write');
  if (name === 'paper:delivery:read') return t('integration.permission.read');
  return name === 'googleCalendar' ? t('integration.permission.calendar') : name;
}
