/** One source of an album: what it has, how it answers, and what can be done about it. */
import { type Signal, useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t, tCode } from '../../ground/words.ts';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { act } from '../../parts/messages.tsx';
import { ChangeSource, changesOf } from './change-source.tsx';
import { NotShown } from './not-shown.tsx';
import type { AlbumSource } from './sources-book.ts';

interface SourceRowProps {
  readonly paperId: string;
  readonly source: AlbumSource;
  readonly changed: () => Promise<void>;
}

/** Draws the row. */
export const SourceRow = (props: SourceRowProps) => {
  const isChanging = useSignal(false);
  const { paperId, source, changed } = props;
  const { kind, place, title, state } = source;
  const isBad = state !== 'ok' && state !== 'new';
  return (
    <li>
      <div>
        <strong dir="auto">{title}</strong>{' '}
        <span class="note">
          {tCode('sources.kind', kind)}
          {place !== '' && place !== title && ` · ${place}`}
        </span>
        <p class={isBad ? 'bad' : undefined}>{stateLine(source)}</p>
        <NotShown paperId={paperId} source={source} />
        <Looked source={source} />
      </div>
      <RowActions {...props} isChanging={isChanging} />
      {isChanging.value && (
        <div class="wide">
          <ChangeSource
            paperId={paperId}
            source={source}
            done={async () => {
              isChanging.value = false;
              await changed();
            }}
          />
        </div>
      )}
    </li>
  );
};

/** Draws the buttons of a row; each names its source. */
const RowActions = ({
  paperId,
  source: { id, kind, title },
  changed,
  isChanging,
}: SourceRowProps & { readonly isChanging: Signal<boolean> }) => {
  const path = { paperId, sourceId: id };
  const change = changesOf(kind);
  const named = (what: string): string => t('sources.named', { what, title });
  const look = async (): Promise<void> => {
    const call = () => callApi('POST /papers/{paperId}/sources/{sourceId}/listing', { path });
    if (await act(call, t('sources.looked', { title }))) await changed();
  };
  const remove = async (): Promise<void> => {
    const asked = {
      title: t('sources.removeTitle', { title }),
      text: t('sources.removeText'),
      yes: t('sources.remove'),
    };
    if (!(await confirmed(asked))) return;
    const call = () => callApi('DELETE /papers/{paperId}/sources/{sourceId}', { path });
    await act(call, t('sources.removed', { title }));
    await changed();
  };
  return (
    <div class="actions wide">
      <button type="button" aria-label={named(t('sources.look'))} onClick={() => void look()}>
        {t('sources.look')}
      </button>
      {change !== undefined && (
        <button
          type="button"
          aria-expanded={isChanging.value}
          aria-label={named(t(`sources.change.${change}`))}
          onClick={() => {
            isChanging.value = !isChanging.value;
          }}
        >
          {t(`sources.change.${change}`)}
        </button>
      )}
      <button type="button" class="danger" aria-label={named(t('sources.remove'))} onClick={() => void remove()}>
        {t('sources.remove')}
      </button>
    </div>
  );
};

/** Says how a source answers, and since when it is so. */
function stateLine({ state, since, pictures, problem = '', problems }: AlbumSource): string {
  const time = since === null ? '' : clockTime(since);
  if (state === 'ok') return t('sources.pictures', { count: pictures });
  const line = t(`sources.state.${state}`, { time });
  const why = saidText(problems, problem);
  return why === '' ? line : `${line} ${why}`;
}

/** Draws when a source was looked at last, and when it will be next. */
const Looked = ({ source: { listedAt, nextAt, addedBy } }: Pick<SourceRowProps, 'source'>) => (
  <p class="note" title={listedAt === null ? undefined : fullTime(listedAt)}>
    {[
      listedAt === null ? t('sources.notLooked') : t('sources.lookedAt', { time: clockTime(listedAt) }),
      t('sources.nextLook', { time: clockTime(nextAt) }),
      t('sources.addedBy', { name: addedBy }),
    ].join(' · ')}
  </p>
);
