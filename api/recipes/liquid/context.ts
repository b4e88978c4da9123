/** The variables that a template can reach, and how it reads their parts (RC-41, RC-94). */
import { Context, Drop, type Liquid } from 'liquidjs';
import { unwrapped } from './operators.ts';
import { countCharacters, isMap } from './values.ts';
import { workLimit } from './work-limit.ts';

type Key = Parameters<Context['readProperty']>[1];
type Part = ReturnType<Context['readProperty']>;

/** The variables of one rendering. */
export class RecipeContext extends Context {
  constructor(data: object, liquid: Liquid, from?: Context) {
    super(data, liquid.options, { sync: true }, { liquid, ...(from && { memoryLimit: from.memoryLimit }) });
    this.renderLimit = from?.renderLimit ?? workLimit();
  }

  /** Texts have a size, lists their items besides, and neither has what JavaScript gives them. */
  override readProperty(value: Part, name: Key): Part {
    const key = unwrapped(name);
    // Here the engine looks for variables that nobody set, and would count them for `size`.
    if (value === this.globals) return undefined;
    if (typeof value === 'string') return key === 'size' ? countCharacters(value) : undefined;
    if (Array.isArray(value) && typeof key !== 'number' && !['size', 'first', 'last'].includes(String(key)))
      return undefined;
    if (isMap(value) && key === 'first' && !Object.hasOwn(value, 'first')) return Object.entries(value)[0];
    return super.readProperty(value, name);
  }

  /** A variable that nobody set is nothing, which counts as nought in ranges. */
  override *_get(path: Parameters<Context['_get']>[0]): IterableIterator<unknown> {
    return (yield* super._get(path) as Generator<unknown, unknown, unknown>) ?? null;
  }

  /** A loop in a loop knows the outer one. */
  override push(scope: { readonly forloop?: unknown }): number {
    if (scope.forloop instanceof Drop) Object.assign(scope.forloop, { parentloop: this.getSync(['forloop']) });
    return super.push(scope);
  }

  override spawn(scope: object = {}): Context {
    return new RecipeContext(scope, this.liquid, this);
  }
}
