/** Tags that TRMNL adds or that the engine's library reads otherwise: named templates (RC-23, RC-24) and `ifchanged`. */

import {
  type Context,
  type Emitter,
  evalToken,
  Hash,
  type Liquid,
  type Parser,
  Tag,
  type TagToken,
  type Template,
  type Tokenizer,
  type TopLevelToken,
} from 'liquidjs';
import { loopOf } from './items.ts';
import { textOf } from './values.ts';

/** The templates that one rendering has defined so far, as their raw text. */
export type NamedTemplates = Map<string, string>;

const deepestNesting = 100;

/** Returns the raw text up to the tag that ends it, which is taken from the tokens. */
function rawUntil(end: string, token: TagToken, rest: TopLevelToken[]): string {
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    if ('name' in next && next.name === end) return next.input.slice(token.end, next.begin);
  }
  throw new Error(`tag ${token.getText()} not closed`);
}

/** Makes the tag `{% template name %}…{% endtemplate %}`, which stores its text under a name, when it is reached. */
export function templateTag(templates: NamedTemplates): TagOf {
  return class extends Tag {
    private readonly text: string;
    private readonly templateName: string;
    constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
      super(token, rest, liquid);
      this.templateName = token.args.trim();
      this.text = rawUntil('endtemplate', token, rest).trim();
    }
    render(_: Context, emitter: Emitter): void {
      if (/^[\w/]+$/.test(this.templateName)) templates.set(this.templateName, this.text);
      else
        emitter.write(
          `Liquid error: invalid template name "${this.templateName}": letters, digits, _ and / are allowed`,
        );
    }
  };
}

/** The value that a `render` binds, or the list of which it binds each item. */
interface Binding {
  readonly isEach: boolean;
  readonly value: Parameters<typeof evalToken>[0];
  readonly alias: string | undefined;
}

/** Reads `with value` or `for list`, with `as name` or without. `with name: value` is an argument (RC-35). */
function readBinding(tokenizer: Tokenizer): Binding | undefined {
  const begin = tokenizer.p;
  const word = tokenizer.readIdentifier().content;
  const isEach = word === 'for';
  tokenizer.skipBlank();
  if ((word !== 'with' && word !== 'for') || tokenizer.peek() === ':') {
    tokenizer.p = begin;
    return undefined;
  }
  const afterWord = tokenizer.p;
  const value = tokenizer.readValue();
  tokenizer.skipBlank();
  if (tokenizer.peek() === ':') {
    tokenizer.p = afterWord;
    return undefined;
  }
  const afterValue = tokenizer.p;
  if (tokenizer.readIdentifier().content === 'as') {
    return { isEach, value, alias: tokenizer.readIdentifier().content };
  }
  tokenizer.p = afterValue;
  return { isEach, value, alias: undefined };
}

/** The classes of tags, as the engine makes tags of them. */
type TagOf<More extends readonly unknown[] = []> = new (
  token: TagToken,
  rest: TopLevelToken[],
  liquid: Liquid,
  ...more: More
) => Tag;

/**
 * Makes the tags `render` and `include`. A rendered template sees its arguments alone; an included one what stands around it, too.
 * @param isIsolated true for `render`
 */
export function renderTag(templates: NamedTemplates, isIsolated: boolean): TagOf {
  const parsed = new Map<string, Template[]>();
  let depth = 0;

  function find(liquid: Liquid, name: string): Template[] {
    const text = templates.get(name);
    if (text === undefined) throw new Error(`Template not found: ${name}.`);
    const known = parsed.get(text) ?? liquid.parse(text);
    parsed.set(text, known);
    return known;
  }

  return class extends Tag {
    private readonly named: Parameters<typeof evalToken>[0];
    private readonly binding: Binding | undefined;
    private readonly hash: Hash;
    constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
      super(token, rest, liquid);
      this.named = this.tokenizer.readValue();
      if (this.named === undefined) throw new Error('a template needs a name in quotation marks');
      this.binding = readBinding(this.tokenizer);
      this.hash = new Hash(this.tokenizer);
    }

    *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const name = textOf(yield evalToken(this.named, ctx));
      const values = (yield this.hash.render(ctx)) as Record<string, unknown>;
      const inner = isIsolated ? ctx.spawn() : ctx;
      const scope = { ...values };
      if (depth >= deepestNesting) throw new Error('Nesting too deep');
      depth++;
      if (isIsolated) Object.assign(inner.bottom(), scope);
      else inner.push(scope);
      try {
        yield* this.renderBound(name, { ctx, inner, emitter, scope: isIsolated ? inner.bottom() : scope });
      } finally {
        if (!isIsolated) inner.pop();
        depth--;
      }
    }

    private *renderBound(
      name: string,
      { ctx, inner, emitter, scope }: { ctx: Context; inner: Context; emitter: Emitter; scope: object },
    ): Generator<unknown, void, unknown> {
      const { binding } = this;
      const bound = binding === undefined ? undefined : yield evalToken(binding.value, ctx);
      const key = binding?.alias ?? name;
      const items: readonly unknown[] = binding?.isEach && Array.isArray(bound) ? bound : [bound];
      for (const [index, item] of items.entries()) {
        if (binding !== undefined) Object.assign(scope, { [key]: item });
        if (binding?.isEach) Object.assign(scope, { forloop: loopOf(index, items.length) });
        yield this.liquid.renderer.renderTemplates(find(this.liquid, name), inner, emitter);
      }
    }
  };
}

/** Makes the tag `{% ifchanged %}…{% endifchanged %}`, which prints what is inside where it differs from the last time. */
export function ifChangedTag(): TagOf<[parser: Parser]> {
  let last: string | undefined;
  return class extends Tag {
    private readonly templates: Template[] = [];
    constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, rest, liquid);
      const stream = parser.parseStream(rest);
      stream
        .on('tag:endifchanged', () => stream.stop())
        .on('template', (template: Template) => this.templates.push(template))
        .on('end', () => {
          throw new Error(`tag ${token.getText()} not closed`);
        });
      stream.start();
    }
    *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const text = textOf(yield this.liquid.renderer.renderTemplates(this.templates, ctx));
      if (text === last) return;
      last = text;
      emitter.write(text);
    }
  };
}
