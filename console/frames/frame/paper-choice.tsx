/** Which paper the frame shows. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { kindName } from '../../ground/paper-kinds.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { mayWrite, seesPapers } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { Card } from '../../parts/card.tsx';
import { paperOrNothing } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import { act } from '../../parts/messages.tsx';
import { saySaved } from './actions.tsx';
import type { FrameKnown } from './frame-state.ts';

type PaperListed = Schemas['Paper'];

/** Draws the choice; those who may not write see the paper alone. */
export const PaperChoice = ({
  known: { device, row },
  reload,
}: {
  readonly known: FrameKnown;
  readonly reload: () => Promise<void>;
}) => {
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
    <Card id="paper" title={t('choice.title')}>
      {row.paper !== null && !seesPapers.value && <p>{kindName(row.paper.kind)}</p>}
      {row.paper !== null && seesPapers.value && (
        <p>
          <a href={hrefOf(`papers/${row.paper.id}`)}>{row.paper.title || t('choice.noTitle')}</a>{' '}
          <span class="note">{kindName(row.paper.kind)}</span>
        </p>
      )}
      {row.paper === null && <p class="note">{t('choice.none')}</p>}
      {mayWrite.value && (
        <SearchChoice
          label={t('choice.other')}
          value={bound(device.paper ?? '', (id) => void choose(id || null))}
          disabled={isSaving.value || papers.value === undefined}
          choices={paperOrNothing(papers.value ?? [])}
        />
      )}
    </Card>
  );
};

const pageRows = 500;
const maxPages = 20;

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
