/** One walk over every operation of the service: observers call each of them in their own way, and see every answer. */
import { describeApi } from '../../../api/http/description/describe-api.ts';
import { type Called, everyOperation, rows } from '../matrix.ts';
import type { Answer, HttpWorld } from '../world.ts';

/** Somebody who watches the walk and holds one promise of the service. */
export interface Observer {
  /** Calls an operation, and judges its answers. */
  readonly visit?: (called: Called) => Promise<void>;
  /** Judges an answer, no matter who called. */
  readonly answered?: (answer: Answer, where: string) => void;
  /** Judges the walk as a whole. */
  readonly end?: () => Promise<void> | void;
}

/** Makes an observer in a world. */
export type Observe = (world: HttpWorld) => Promise<Observer>;

/** Every operation, those behind the others that give their callers another membership. */
export function operationsOf(world: HttpWorld): Called[] {
  const isLast = ({ name }: Called): number => (rows[name]?.last === true ? 1 : 0);
  return everyOperation(describeApi(world.routes)).sort((a, b) => isLast(a) - isLast(b));
}

/** An assertion's message, with what it compared. */
const wordsOfFailure = ({ message, details = '' }: Error & { readonly details?: string }): string =>
  `${message}${details}`;

/**
 * Walks. An observer who finds something watches no further; the others go on.
 * @throws an error that says what each of them found
 */
export async function walk(world: HttpWorld, observes: Readonly<Record<string, Observe>>): Promise<void> {
  const observers = new Map<string, Observer>();
  const found = new Map<string, string>();
  const watch = async (name: string, look: (observer: Observer) => Promise<void> | void): Promise<void> => {
    const observer = observers.get(name);
    if (observer === undefined || found.has(name)) return;
    try {
      await look(observer);
    } catch (error) {
      found.set(name, error instanceof Error ? wordsOfFailure(error) : String(error));
    }
  };
  const watched: HttpWorld = {
    ...world,
    async call(method, path, options) {
      const answer = await world.call(method, path, options);
      const where = `${method} ${path}`;
      for (const name of observers.keys()) await watch(name, (observer) => observer.answered?.(answer, where));
      return answer;
    },
  };
  for (const [name, observe] of Object.entries(observes)) observers.set(name, await observe(watched));
  for (const called of operationsOf(world)) {
    for (const name of observers.keys()) await watch(name, (observer) => observer.visit?.(called));
  }
  for (const name of observers.keys()) await watch(name, (observer) => observer.end?.());
  if (found.size > 0) throw new Error([...found].map(([name, text]) => `${name}: ${text}`).join('\n'));
}
