/** Blocks that hold white space and assignments alone: Ruby's engine prints nothing of them, not even their failures. */
import { type Template, TokenKind } from 'liquidjs';

/** Tags that print nothing themselves. */
const silent: ReadonlySet<string> = new Set(['assign', 'capture', 'comment', '#', 'template']);
/** Tags that print what their blocks print. */
const transparent: ReadonlySet<string> = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'liquid']);

/** Parts of templates that are known to be blank. */
export type BlankParts = WeakSet<Template>;

const isText = ({ token }: Template): boolean => token.kind === TokenKind.HTML;
const nameOf = ({ token }: Template): string => ('name' in token ? String(token.name) : '');

/** Returns the templates within the blocks of a tag. */
function childrenOf(template: Template): readonly Template[] {
  const children = template.children?.(false, true);
  return children === undefined ? [] : ((children.next().value ?? []) as Template[]);
}

/** Notes whether a template is blank, and has the white space of blank blocks print nothing. Its children were noted before. */
export function noteBlank(template: Template, known: BlankParts): void {
  const name = nameOf(template);
  if (isText(template)) {
    if (/^\s*$/.test(template.token.getText())) known.add(template);
  } else if (silent.has(name)) known.add(template);
  else if (transparent.has(name)) {
    const children = childrenOf(template);
    if (!children.every((child) => known.has(child))) return;
    for (const child of children) if (isText(child)) child.render = function* printNothing() {};
    known.add(template);
  }
}
