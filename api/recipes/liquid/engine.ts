/** The engine that makes a page of markup and data, as TRMNL's does, within bounds (RC-47, RC-91). */
import {
  type Context,
  type Emitter,
  Liquid,
  Output,
  Parser,
  type Template,
  TokenKind,
  type TopLevelToken,
} from 'liquidjs';
import { type BlankParts, noteBlank } from './blank.ts';
import { RecipeContext } from './context.ts';
import type { Filter } from './filter.ts';
import { standardFilters } from './filters.ts';
import { frameFilters } from './frame-filters.ts';
import { laxCode } from './lax-code.ts';
import { plainMarkup } from './markup.ts';
import { operators, unwrapped } from './operators.ts';
import { RowsTag } from './table-tag.ts';
import { ifChangedTag, type NamedTemplates, renderTag, templateTag } from './tags.ts';
import { textOf } from './values.ts';
import { workOf } from './work-limit.ts';

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

/** Markup of a megabyte, and what a page allocates. Its work is bounded by `work-limit.ts`, and its time by the thread's end. */
const bounds = { parseLimit: 1e6, memoryLimit: 2e7 } as const;

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
  private readonly engine: RecipeLiquid;
  private readonly blank: BlankParts;
  constructor(engine: RecipeLiquid) {
    super(engine);
    this.engine = engine;
    this.blank = engine.blank;
  }
  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): ParsedToken {
    try {
      const template = super.parseToken(token, rest);
      noteBlank(template, this.blank);
      return this.guarded(template);
    } catch (thrown) {
      const error = errorOf(thrown);
      if (endsPage(error)) throw error;
      return this.laxly(token, error);
    }
  }
  /** Parses what can be made out of code that is not of the language; where nothing can, it prints nothing. */
  private laxly(token: TopLevelToken, error: Error): ParsedToken {
    const code = token.getText();
    const lax = laxCode(code);
    if (lax !== undefined && lax !== code) {
      const [template] = this.engine.parse(lax);
      if (template !== undefined) return template as ParsedToken;
    }
    this.remark(error);
    const template: Template = { token, render() {} };
    this.blank.add(template);
    return template as ParsedToken;
  }
  /** Prints a failure where it stands (RC-46), unless nothing is printed there, and values as Ruby does. */
  private guarded(template: ParsedToken): ParsedToken {
    if (this.blank.has(template) && template.token.kind === TokenKind.HTML) return template;
    const render = template instanceof Output ? outputOf(template) : template.render.bind(template);
    const { blank } = this;
    const remark = (error: Error): void => this.remark(error);
    template.render = function* renderGuarded(ctx: Context, emitter: Emitter) {
      try {
        return (yield render(ctx, emitter)) as unknown;
      } catch (thrown) {
        const error = errorOf(thrown);
        if (endsPage(error)) throw error;
        if (blank.has(template)) remark(error);
        else emitter.write(`Liquid error: ${error.message}`);
        return undefined;
      }
    };
    return template;
  }
  private remark({ message }: Error): void {
    if (this.engine.remarks.length < 20) this.engine.remarks.push(message);
  }
}

const outputOf = (output: Output) =>
  function* renderOutput(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const text = textOf(unwrapped(yield output.value.value(ctx, false)));
    ctx.memoryLimit.use(text.length);
    emitter.write(text);
  };

class RecipeLiquid extends Liquid {
  readonly remarks: string[] = [];
  readonly blank: BlankParts = new WeakSet();
  override parse(markup: string): Template[] {
    return new LenientParser(this).parse(markup);
  }
}

/** Named arguments come as pairs, of which the second is the value. */
const plainArgument = (argument: unknown): unknown =>
  Array.isArray(argument) && argument.length === 2 && typeof argument[0] === 'string'
    ? [argument[0], unwrapped(argument[1])]
    : unwrapped(argument);

/** Registers a filter that gets plain values. What it does counts for the bounds. */
function register(engine: Liquid, name: string, filter: Filter): void {
  engine.registerFilter(name, function charged(value: unknown, ...args: readonly unknown[]) {
    this.context.renderLimit.use(workOf(value));
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
  engine.registerTag('tablerow', RowsTag);
  const filters = { ...standardFilters(() => now), ...frameFilters(() => now, random) };
  for (const [name, filter] of Object.entries(filters)) register(engine, name, filter);
  try {
    if (markup.length > bounds.parseLimit) throw new Error('parse length limit exceeded');
    const page: string = engine.renderSync(engine.parse(plainMarkup(markup)), new RecipeContext(data, engine));
    return { page, remarks: engine.remarks };
  } catch (thrown) {
    const { message } = errorOf(thrown);
    const [pattern = '', words = ''] = bounded.find(([each]) => each.test(message)) ?? [];
    throw new Error(message.replace(pattern, words));
  }
}
