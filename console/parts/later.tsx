/** Components that are loaded when they are first drawn: what few people see need not come with the first page. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { asProblem } from '../ground/resource.ts';
import { Loading, ProblemBox } from './states.tsx';

/**
 * Returns a component that draws another one once it is there.
 * @param isQuiet nothing stands in its place meanwhile
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isQuiet = false,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const isThere = useSignal(loaded !== undefined);
    const problem = useSignal<unknown>(undefined);
    useEffect(() => {
      load().then(
        (component) => {
          loaded = component;
          isThere.value = true;
        },
        (error: unknown) => {
          problem.value = error;
        },
      );
    }, []);
    if (problem.value !== undefined) {
      return <ProblemBox problem={asProblem(problem.value)} again={() => location.reload()} />;
    }
    const Shown = isThere.value ? loaded : undefined;
    if (Shown !== undefined) return <Shown {...props} />;
    return isQuiet ? null : <Loading />;
  };
}
