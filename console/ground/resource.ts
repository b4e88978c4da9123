/** Data from the service, and the state of reading it. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem, sessionsBegun } from './call-api.ts';

/** A value that is read: `value` stays while it is read again, so that nothing flickers. */
export interface Resource<Value> {
  readonly value: Value | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  /** Reads it again. */
  readonly reload: () => Promise<void>;
  /** Sets a value that the person's own action produced. */
  readonly put: (value: Value) => void;
}

/**
 * Reads a value when the component appears and whenever `inputs` change. An answer that comes after a newer question
 * is dropped.
 */
export function useResource<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Resource<Value> {
  const value: Signal<Value | undefined> = useSignal<Value | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const isLoading = useSignal(true);
  const latest = useSignal<AbortController | undefined>(undefined);
  const reload = async (): Promise<void> => {
    latest.peek()?.abort();
    const asking = new AbortController();
    latest.value = asking;
    isLoading.value = true;
    try {
      const answer = await read(asking.signal);
      if (asking.signal.aborted) return;
      value.value = answer;
      problem.value = undefined;
    } catch (error) {
      if (asking.signal.aborted) return;
      problem.value = asProblem(error);
    }
    isLoading.value = false;
  };
  useEffect(() => {
    void reload();
    return () => latest.peek()?.abort();
  }, inputs);
  const begun = sessionsBegun.value;
  useEffect(() => {
    if (problem.peek()?.status === 401) void reload();
  }, [begun]);
  const put = (given: Value): void => {
    value.value = given;
  };
  return { value: value.value, problem: problem.value, isLoading: isLoading.value, reload, put };
}

/** Returns what went wrong, whatever was thrown. */
export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, { code: 'unknown', message: String(error) });
