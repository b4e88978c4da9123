/** The week of a playlist: a bar for each day, the same as a list, and what the plan leaves open or shows twice. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi, type Problem } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { language, t } from '../../ground/words.ts';
import { problemText } from '../../parts/states.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';

type Week = AnswerOf<'POST /previews/playlist-week'>;
type Day = Week['days'][number];
type Block = Day['blocks'][number];

/** The week is requested once nobody has typed for this long. */
const restMs = 400;
/** Entries are told apart by so many colours, and by their names. */
const tones = 6;
/** A block that is shorter than this part of the day has no room for its name. */
const leastNamed = 0.12;

interface WeekProps {
  readonly draft: PaperDraft;
  readonly zone: string;
  /** The titles of the entries' papers, in their order. */
  readonly titles: readonly string[];
}

/** Draws the week, as the service computes it for the frames. */
export const PlaylistWeek = (props: WeekProps) => {
  const { week, problem } = useWeek(props);
  if (problem !== undefined) return <p class="warn">{problemText(problem)}</p>;
  if (week === undefined) return null;
  return (
    <section class="plan" aria-labelledby="playlist-week">
      <h4 id="playlist-week">{t('week.title')}</h4>
      <div class="plan-days" aria-hidden="true">
        {week.days.map((day) => (
          <DayBar key={day.date} day={day} {...props} />
        ))}
      </div>
      <Remarks week={week} titles={props.titles} />
      <details>
        <summary>{t('week.list')}</summary>
        <dl class="plan-list">
          {week.days.map((day) => (
            <div key={day.date}>
              <dt>{dayName(day.date, 'long')}</dt>
              {day.blocks.map((block) => (
                <dd key={block.from}>{blockText(block, day, props)}</dd>
              ))}
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
};

function useWeek({ draft, zone }: WeekProps): { week?: Week; problem?: Problem } {
  const read = useSignal<{ week?: Week; problem?: Problem }>({});
  const entries = draft.get('playlistEntries');
  const asked = JSON.stringify([entries, zone]);
  useEffect(() => {
    const asking = new AbortController();
    const body = {
      organization: draft.base.peek().organization,
      playlistEntries: Array.isArray(entries) ? entries : [],
      timezone: zone,
    };
    const timer = setTimeout(() => {
      callApi('POST /previews/playlist-week', { body, signal: asking.signal }).then(
        (week) => {
          if (!asking.signal.aborted) read.value = { week };
        },
        (error: unknown) => {
          if (!asking.signal.aborted) read.value = { problem: asProblem(error) };
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [asked]);
  return read.value;
}

const ms = (at: string): number => new Date(at).getTime();

const DayBar = ({ day, titles, zone }: WeekProps & { readonly day: Day }) => {
  const [from, whole] = [ms(day.from), ms(day.until) - ms(day.from)];
  return (
    <div class="plan-day">
      <span class="note">{dayName(day.date, 'short')}</span>
      <div class="plan-bar">
        {day.blocks.map((block) => {
          const part = (ms(block.until) - ms(block.from)) / whole;
          return (
            <span
              key={block.from}
              class={block.entry === null ? 'plan-block open' : block.stays ? 'plan-block stays' : 'plan-block'}
              data-tone={block.entry === null ? undefined : block.entry % tones}
              style={{ insetInlineStart: `${((ms(block.from) - from) / whole) * 100}%`, width: `${part * 100}%` }}
              title={blockText(block, day, { titles, zone })}
            >
              {block.entry !== null && part >= leastNamed && <span dir="auto">{titles[block.entry]}</span>}
            </span>
          );
        })}
      </div>
    </div>
  );
};

/** Words what is shown from when to when, in one sentence. */
function blockText({ entry, from, until, stays }: Block, day: Day, { titles, zone }: Omit<WeekProps, 'draft'>): string {
  const clock = new Intl.DateTimeFormat(language.value, { timeStyle: 'short', timeZone: zone });
  const times = {
    from: clock.format(ms(from)),
    until: until === day.until ? t('week.midnight') : clock.format(ms(until)),
  };
  if (entry === null) return t('week.open', times);
  return t(stays ? 'week.stays' : 'week.shows', { ...times, title: titles[entry] ?? '' });
}

const dayName = (date: string, weekday: 'long' | 'short'): string =>
  new Intl.DateTimeFormat(language.value, {
    weekday,
    day: 'numeric',
    ...(weekday === 'long' && { month: 'long' }),
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));

/** Draws remarks about the week that a person would not see in the bars at once. */
const Remarks = ({ week, titles }: { readonly week: Week; readonly titles: readonly string[] }) => {
  const title = (entry: number): string => titles[entry] ?? '';
  const blocks = week.days.flatMap((day) => day.blocks);
  const gap = blocks.find(({ stays }) => stays);
  const remarks = [
    ...week.problems.map(({ entry, problems, problem }) =>
      t('week.unread', { title: title(entry), reason: saidText(problems, problem) }),
    ),
    ...week.unshowable.map((entry) => t('week.unshowable', { title: title(entry) })),
    ...week.covered.map(({ entry, by, isHidden }) =>
      t(isHidden ? 'week.hidden' : 'week.cut', { title: title(entry), other: title(by) }),
    ),
    ...week.absent.map((entry) => t('week.absent', { title: title(entry) })),
    ...(gap === undefined ? [] : [t('week.gap', { title: title(gap.entry ?? 0) })]),
    ...(blocks[0]?.entry === null ? [t('week.before')] : []),
  ];
  return (
    <div role="status">
      <ul class="plan-remarks">
        {[...new Set(remarks)].map((remark) => (
          <li key={remark} class="note">
            {remark}
          </li>
        ))}
      </ul>
    </div>
  );
};
