/** Albums, people and folders of a source, chosen by their covers. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type BodyOf, callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { SearchedList } from '../../parts/forms/searched-list.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Tried } from './use-trial.ts';

type Choice = NonNullable<Tried['choices']>[number];
type CoverTrial = BodyOf<'POST /papers/{paperId}/sources/cover'>['trial'];

interface ChoiceTilesProps {
  readonly paperId: string;
  readonly trial: CoverTrial;
  readonly choices: readonly Choice[];
  readonly chosen: Signal<readonly string[]>;
  /** Whether one alone can be chosen. */
  readonly isSingle?: boolean;
  readonly label: string;
}

/** Draws the tiles. */
export const ChoiceTiles = ({ paperId, trial, choices, chosen, isSingle = false, label }: ChoiceTilesProps) => {
  const choose = (id: string, isChosen: boolean): void => {
    const others = isSingle ? [] : chosen.peek().filter((one) => one !== id);
    chosen.value = isChosen ? [...others, id] : others;
  };
  return (
    <fieldset class="part">
      <legend>{label}</legend>
      <SearchedList
        items={choices}
        search={t('sources.searchChoices')}
        textOf={({ name }) => name}
        isChosen={({ id }) => chosen.value.includes(id)}
        draw={(shown) => (
          <ul class="offers">
            {shown.map((choice) => (
              <li key={choice.id}>
                <div class="offer-tile">
                  <Cover paperId={paperId} trial={trial} choice={choice} />
                  <label class="offer-name">
                    <input
                      type="checkbox"
                      checked={chosen.value.includes(choice.id)}
                      onChange={({ currentTarget }) => choose(choice.id, currentTarget.checked)}
                    />{' '}
                    <span dir="auto">{choice.name === '' ? t('sources.unnamed') : choice.name}</span>
                  </label>
                  <p class="offer-line">{choice.count !== null && t('sources.choiceCount', { count: choice.count })}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
      />
    </fieldset>
  );
};

/** The covers that are asked for at once. */
const maxAsked = 3;
let asked = 0;
const waiting: (() => void)[] = [];

/** Runs one of a few at a time: a library has hundreds of covers, and the service asks its server for each. */
async function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  if (asked >= maxAsked) await new Promise<void>((resolve) => waiting.push(resolve));
  asked += 1;
  try {
    return await ask();
  } finally {
    asked -= 1;
    waiting.shift()?.();
  }
}

const iconOf: Readonly<Record<Choice['sort'], string>> = { album: 'pictures', person: 'account', folder: 'papers' };

type CoverProps = Pick<ChoiceTilesProps, 'paperId' | 'trial'> & { readonly choice: Choice };

const Cover = ({ paperId, trial, choice: { cover, sort } }: CoverProps) => {
  const box = useRef<HTMLSpanElement>(null);
  const picture = useSignal<string | null>(null);
  useEffect(() => {
    if (cover === null || box.current === null) return undefined;
    const asking = new AbortController();
    const { signal } = asking;
    const ask = async (): Promise<void> => {
      const body = { trial, cover };
      const read = async () =>
        signal.aborted
          ? null
          : (await callApi('POST /papers/{paperId}/sources/cover', { path: { paperId }, body, signal })).picture;
      const found = await inTurn(read).catch(() => null);
      if (!signal.aborted) picture.value = found;
    };
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      void ask();
    });
    seen.observe(box.current);
    return () => {
      asking.abort();
      seen.disconnect();
    };
  }, [cover]);
  return (
    <span class="offer-picture" ref={box}>
      {picture.value === null ? (
        <Icon name={iconOf[sort]} />
      ) : (
        <img src={`data:image/png;base64,${picture.value}`} alt="" />
      )}
    </span>
  );
};
