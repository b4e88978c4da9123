/** The data of a paper's recipe: what each source answered and how old that is, and the address that waits for data. */
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import type { Paper } from '../ground/paper-book.ts';
import { useResource } from '../ground/resource.ts';
import { saidText } from '../ground/said.ts';
import { fullTime, relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { CopyField } from '../parts/forms/copy-field.tsx';
import { act } from '../parts/messages.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';

type Data = Schemas['RecipeData'];

/** Draws the card. */
export const RecipeDataCard = ({ paper }: { readonly paper: Paper }) => {
  const path = { paperId: paper.id };
  const found = useResource<Data>(
    (signal) => callApi('GET /papers/{paperId}/recipe-data', { path, signal }),
    [paper.id, paper.updatedAt],
  );
  const ask = (): Promise<unknown> =>
    act(async () => found.put(await callApi('POST /papers/{paperId}/recipe-data', { path })), t('recipes.asked'));
  if (found.problem !== undefined) return <ProblemBox problem={found.problem} again={() => void found.reload()} />;
  if (found.value === undefined) return <Loading />;
  const { sources, polledAt, changedAt, failed, address } = found.value;
  // A picture at an address that no frame has asked for yet, a board of texts, and a recipe that asks nobody, have nothing to say.
  if (sources.length === 0 && address === null && polledAt === null && failed === null) return null;
  return (
    <Card id="recipe-data" title={t('recipes.data')}>
      {address !== null && <CopyField label={t('recipes.sendTo')} value={address} />}
      <ul class="plain">
        {sources.map((source) => (
          <li key={`${source.paper?.id} ${source.host}`}>
            <SourceLine source={source} />
          </li>
        ))}
      </ul>
      {failed !== null && <p class="warn">{t('recipes.programFailed', { error: failed })}</p>}
      {changedAt !== null && (
        <p class="note" title={fullTime(changedAt)}>
          {t('recipes.changed', { when: relativeTime(changedAt) })}
        </p>
      )}
      {address === null && polledAt !== null && (
        <p>
          <button type="button" onClick={() => void ask()}>
            {t('recipes.askNow')}
          </button>
        </p>
      )}
    </Card>
  );
};

const SourceLine = ({
  source: { host, paper, answeredAt, problems },
}: {
  readonly source: Data['sources'][number];
}) => {
  const when = answeredAt === null ? t('recipes.never') : t('recipes.answered', { when: relativeTime(answeredAt) });
  return (
    <>
      <strong dir="auto">{paper === null ? host : `${paper.title}: ${host}`}</strong>{' '}
      <span class="note" title={answeredAt === null ? undefined : fullTime(answeredAt)}>
        {when}
      </span>
      {problems.length > 0 && <p class="warn">{saidText(problems, '')}</p>}
    </>
  );
};
