/** Which paper the frame shows. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { kindName } from '../../ground/paper-kinds.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { mayWrite } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { act } from '../../parts/messages.tsx';
import { saySaved } from './actions.tsx';
import type { FrameKnown } from './frame-state.ts';

type PaperListed = Schemas['Paper'];

interface ChoiceProps {
  readonly known: FrameKnown;
  readonly reload: () => Promise<void>;
}

/** Draws the choice; those who may not write see the paper alone. */
export const PaperChoice: ComponentType<ChoiceProps> = ({ known: { device, row }, reload }) => {
  const isSaving = useSignal(false);
  const papers = useResource<PaperListed[]>(
    (signal) => (mayWrite.value ? papersOf(device.organization, signal) : Promise.resolve([])),
    [device.organization],
  );
  const set = async (paper: string | null): Promise<void> => {
    await callApi('POST /devices/{deviceId}', { path: { deviceId: device.id }, body: { paper } });
    await reload();
  };
  const choose = async (paper: string | null): Promise<void> => {
    const before = device.paper;
    isSaving.value = true;
    if (await act(() => set(paper))) saySaved(() => set(before));
    isSaving.value = false;
  };
  return (
    <section class="card" aria-labelledby="paper">
      <h2 id="paper">{t('choice.title')}</h2>
      {row.paper !== null && (
        <p>
          <a href={hrefOf(`papers/${row.paper.id}`)}>{row.paper.title || t('choice.noTitle')}</a>{' '}
          <span class="note">{kindName(row.paper.kind)}</span>
        </p>
      )}
      {row.paper === null && <p class="note">{t('choice.none')}</p>}
      {mayWrite.value && (
        <label class="field">
          <span>{t('choice.other')}</span>
          <select
            value={device.paper ?? ''}
            disabled={isSaving.value || papers.value === undefined}
            onChange={(event) => void choose(event.currentTarget.value || null)}
          >
            <option value="">{t('choice.nothing')}</option>
            {papers.value?.map((paper) => (
              <option key={paper.id} value={paper.id}>
                {`${paper.title || t('choice.noTitle')} (${kindName(paper.kind)})`}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
};

const pageRows = 100;
const maxPages = 10;

/** Reads the papers of the organization, page by page. */
async function papersOf(organization: string, signal: AbortSignal): Promise<PaperListed[]> {
  const found: PaperListed[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const { results } = await callApi('GET /papers/', { query: { organization, limit: pageRows, page }, signal });
    found.push(...results);
    if (results.length < pageRows) break;
  }
  return found;
}
