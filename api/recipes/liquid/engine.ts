/** The engine that makes a page of markup and data, as TRMNL's does, within bounds (RC-47, RC-91). */
import { type Context, type Emitter, Liquid, Output, Parser, type Template, type TopLevelToken } from 'liquidjs';
import { RecipeContext } from './context.ts';
import type { Filter } from './filter.ts';
import { standardFilters } from './filters.ts';
import { frameFilters } from './frame-filters.ts';
import { plainMarkup } from './markup.ts';
import { operators, unwrapped } from './operators.ts';
import { ifChangedTag, type NamedTemplates, renderTag, templateTag } from './tags.ts';
import { textOf } from './values.ts';

/** The markup and the data of one rendering. */
export interface LiquidWork {
  readonly markup: string;
  /** Maps, lists, texts and numbers, as `readData` makes them of JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The time that it is, in milliseconds. */
  readonly now: number;
  /** Draws a number in [0, 1). */
  readonly random: () => number;
}

/** The page, and what a tag failed at that printed nothing. */
export interface LiquidPage {
  readonly page: string;
  readonly remarks: readonly string[];
}

/** Markup of a megabyte, what a page allocates, and its time by the clock, which runs on while others have the processor. */
const bounds = { parseLimit: 1e6, memoryLimit: 2e7, renderLimit: 1_000 } as const;

/** Bounds end a page, as a block that is not closed does; every other failure is printed where it stands. */
const endsPage = (error: Error): boolean => /limit exceeded|not closed|call stack/.test(error.message);

/** The bounds in the words of people. */
const bounded: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/template render limit exceeded/, 'it takes too long'],
  [/memory alloc limit exceeded/, 'it needs too much memory'],
  [/parse length limit exceeded/, 'its markup is longer than 1 MB'],
  [/Maximum call stack size exceeded/, 'its blocks are nested too deeply'],
];

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

type ParsedToken = ReturnType<Parser['parseToken']>;

/** Parses tag by tag: one that cannot be read prints nothing, and the page goes on (RC-45). */
class LenientParser extends Parser {
  private readonly remarks: string[];
  constructor(liquid: Liquid, remarks: string[]) {
    super(liquid);
    this.remarks = remarks;
  }
  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): ParsedToken {
    try {
      return guarded(super.parseToken(token, rest), (error) => this.remark(error));
    } catch (thrown) {
      const error = errorOf(thrown);
      if (endsPage(error)) throw error;
      this.remark(error);
      return { token, render() {} } as Template as ParsedToken;
    }
  }
  private remark({ message }: Error): void {
    if (this.remarks.length < 20) this.remarks.push(message);
  }
}

/** Tags that print nothing print no failures either. */
const printsNothing = ({ token }: Template): boolean =>
  'name' in token && (token.name === 'assign' || token.name === 'capture');

/** Prints a failure where it stands (RC-46), and values as Ruby does. */
function guarded(template: ParsedToken, remark: (error: Error) => void): ParsedToken {
  const render = template instanceof Output ? outputOf(template) : template.render.bind(template);
  template.render = function* renderGuarded(ctx: Context, emitter: Emitter) {
    try {
      return (yield render(ctx, emitter)) as unknown;
    } catch (thrown) {
      const error = errorOf(thrown);
      if (endsPage(error)) throw error;
      if (printsNothing(template)) remark(error);
      else emitter.write(`Liquid error: ${error.message}`);
      return undefined;
    }
  };
  return template;
}

const outputOf = (output: Output) =>
  function* renderOutput(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const text = textOf(unwrapped(yield output.value.value(ctx, false)));
    ctx.memoryLimit.use(text.length);
    emitter.write(text);
  };

class RecipeLiquid extends Liquid {
  readonly remarks: string[] = [];
  override parse(markup: string): Template[] {
    return new LenientParser(this, this.remarks).parse(markup);
  }
}

/** Named arguments come as pairs, of which the second is the value. */
const plainArgument = (argument: unknown): unknown =>
  Array.isArray(argument) && argument.length === 2 && typeof argument[0] === 'string'
    ? [argument[0], unwrapped(argument[1])]
    : unwrapped(argument);

/** Registers a filter that gets plain values. It counts for the bounds: the engine looks at the time between tags alone. */
function register(engine: Liquid, name: string, filter: Filter): void {
  engine.registerFilter(name, function charged(value: unknown, ...args: readonly unknown[]) {
    this.context.renderLimit.check(performance.now());
    const result = filter.call(this, unwrapped(value), ...args.map(plainArgument));
    if (typeof result === 'string' || Array.isArray(result)) this.context.memoryLimit.use(result.length);
    return result;
  });
}

/**
 * Makes a page. It runs to its end or its bounds; call it where it may be ended.
 * @throws an error with a sentence where the page as a whole cannot be made
 */
export function renderLiquid({ markup, data, now, random }: LiquidWork): LiquidPage {
  const engine = new RecipeLiquid({
    templates: {},
    ownPropertyOnly: true,
    strictFilters: false,
    strictVariables: false,
    groupedExpressions: true,
    operators,
    ...bounds,
  });
  const templates: NamedTemplates = new Map();
  engine.registerTag('template', templateTag(templates));
  engine.registerTag('render', renderTag(templates, true));
  engine.registerTag('include', renderTag(templates, false));
  engine.registerTag('ifchanged', ifChangedTag());
  const filters = { ...standardFilters(() => now), ...frameFilters(() => now, random) };
  for (const [name, filter] of Object.entries(filters)) register(engine, name, filter);
  try {
    const page: string = engine.renderSync(engine.parse(plainMarkup(markup)), new RecipeContext(data, engine));
    return { page, remarks: engine.remarks };
  } catch (thrown) {
    const { message } = errorOf(thrown);
    const [pattern = '', words = ''] = bounded.find(([each]) => each.test(message)) ?? [];
    throw new Error(message.replace(pattern, words));
  }
}
