/** Tries a source while it is typed: after a rest, one at a time, and never again for what was answered. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, type BodyOf, callApi } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { tCode } from '../../ground/words.ts';
import { problemText } from '../../parts/states.tsx';
import { fieldOfProblem, type SourceField, type SourceKind } from './source-kinds.ts';

/** The body of a try: a source that is entered, or a kept one with changes. */
export type Trial = BodyOf<'POST /papers/{paperId}/sources/try'>;
export type Tried = AnswerOf<'POST /papers/{paperId}/sources/try'>;

/** A rest after the last letter. Wrong passwords make clouds slow, so half a password is waited for longer. */
const restMs = { typed: 700, password: 1_800 } as const;
/** A try that was refused because others are under way is made again. */
const againMs = 3_000;

/** A problem, and the field at which it stands. */
export interface TrialProblem {
  readonly field: SourceField;
  readonly code: string;
  readonly text: string;
}

/** The state of trying. */
export interface TrialState {
  /** The last answer for this place; what can be chosen there stays while a choice is tried. */
  readonly tried: Tried | undefined;
  /** Whether the answer is about what is on the screen now. */
  readonly isCurrent: boolean;
  readonly isTrying: boolean;
  readonly problem: TrialProblem | undefined;
}

interface TrialWish {
  readonly paperId: string;
  readonly kind: SourceKind;
  /** Undefined while something is missing: nothing is tried then. */
  readonly trial: Trial | undefined;
  /** The place of it: with another one the last answer is forgotten. */
  readonly place: unknown;
  readonly isSecret: boolean;
}

interface Seen {
  readonly of: string;
  readonly place: string;
  readonly tried?: Tried | undefined;
  readonly problem?: TrialProblem | undefined;
}

/** Tries what is wished. */
export function useTrial({ paperId, kind, trial, place, isSecret }: TrialWish): TrialState {
  const seen = useSignal<Seen | undefined>(undefined);
  const isTrying = useSignal(false);
  const [asked, at] = [JSON.stringify(trial ?? null), JSON.stringify(place ?? null)];
  useEffect(() => {
    isTrying.value = false;
    if (trial === undefined || seen.peek()?.of === asked) return undefined;
    const asking = new AbortController();
    const before = seen.peek()?.place === at ? seen.peek()?.tried : undefined;
    const end = (answer: Pick<Seen, 'tried' | 'problem'>): void => {
      seen.value = { of: asked, place: at, tried: before, ...answer };
      isTrying.value = false;
    };
    const ask = async (): Promise<void> => {
      isTrying.value = true;
      try {
        const path = { paperId };
        const tried = await callApi('POST /papers/{paperId}/sources/try', { path, body: trial, signal: asking.signal });
        if (asking.signal.aborted) return;
        end(tried.problem === undefined ? { tried } : { problem: problemOfTried(kind, tried) });
      } catch (error) {
        if (asking.signal.aborted) return;
        const problem = asProblem(error);
        if (problem.status === 429) timer = setTimeout(() => void ask(), againMs);
        else end({ problem: { field: fieldOfProblem(kind, ''), code: problem.code, text: problemText(problem) } });
      }
    };
    let timer = setTimeout(() => void ask(), isSecret ? restMs.password : restMs.typed);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [asked]);
  const shown = seen.value?.place === at ? seen.value : undefined;
  const isCurrent = shown?.of === asked;
  return {
    tried: shown?.tried,
    isCurrent,
    isTrying: isTrying.value,
    problem: isCurrent ? shown.problem : undefined,
  };
}

/** Words what is wrong, and what to do where the sentence does not say it. */
function problemOfTried(kind: SourceKind, { problem = '', problems }: Tried): TrialProblem {
  const code = problems?.find((one) => one.code?.startsWith('album-source'))?.code ?? problems?.[0]?.code ?? '';
  const [instead, advice] = [tCode('sources.instead', code), tCode('sources.advice', code)];
  // Of an address that was never here nothing was removed.
  const text = instead === code ? saidText(problems, problem) : instead;
  return { field: fieldOfProblem(kind, code), code, text: advice === code ? text : `${text} ${advice}` };
}
