/** Elements of a page as the renderer takes them, with what fitting has changed. */
import type { Node, NodeMetadata } from '@takumi-rs/core';
import type { PageChild, PageElement, PageStyle } from '../pages/element.ts';

/** The changes that fitting makes to an element. */
export interface ElementChange {
  readonly style?: PageStyle;
  /** Stand in place of its own children. */
  readonly children?: readonly PageChild[];
  /** Follows it. */
  readonly next?: PageElement;
}

/** The changes to the elements of a page; the page itself stays as it is. */
export class Changes {
  readonly #changes = new Map<PageElement, ElementChange>();
  #count = 0;

  /** Grows with every change. */
  get count(): number {
    return this.#count;
  }

  of(element: PageElement): ElementChange {
    return this.#changes.get(element) ?? {};
  }

  /** Returns the children that are drawn. */
  childrenOf(element: PageElement): readonly PageChild[] {
    return this.of(element).children ?? element.children;
  }

  /** Changes an element; declarations that it has already are kept. */
  change(element: PageElement, change: ElementChange): void {
    this.#count++;
    const { style, ...others } = this.of(element);
    this.#changes.set(element, { ...others, ...change, style: { ...style, ...change.style } });
  }

  /** Returns the changes as they are now, for an attempt that may be given up. */
  copy(): Changes {
    const copied = new Changes();
    copied.take(this);
    return copied;
  }

  /** Takes the changes of an attempt. */
  take(attempt: Changes): void {
    this.#count++;
    for (const [element, change] of attempt.#changes) this.#changes.set(element, change);
  }
}

/** A page in nodes, and the element of each. */
export interface NodeTree {
  readonly root: Node;
  readonly elements: ReadonlyMap<Node, PageElement>;
}

/** Makes the nodes of a page. */
export function nodesOf(root: PageElement, changes: Changes): NodeTree {
  const elements = new Map<Node, PageElement>();
  return { root: nodeOf(root), elements };

  function nodeOf(element: PageElement): Node {
    const node: Node = { ...metadata(element, changes), ...contentOf(element) };
    elements.set(node, element);
    return node;
  }

  function contentOf(element: PageElement): Node {
    if (element.svg !== undefined) return { type: 'image', src: Buffer.from(element.svg) };
    const children = changes.childrenOf(element);
    const [only] = children;
    if (children.length === 1 && typeof only === 'string') return { type: 'text', text: plain(only) };
    return { type: 'container', children: children.flatMap(nodesOfChild) };
  }

  function nodesOfChild(child: PageChild): readonly Node[] {
    if (typeof child === 'string') return [{ type: 'text', text: plain(child) }];
    const { next } = changes.of(child);
    const own = child.tag === undefined ? changes.childrenOf(child).flatMap(nodesOfChild) : [nodeOf(child)];
    return next === undefined ? own : [...own, nodeOf(next)];
  }
}

/** Returns a text without what our fonts lack: signs of control, the narrow space that stands in times, and a second hyphen. */
const plain = (text: string): string =>
  text
    .replace(/\u202f/g, '\u00a0')
    .replace(/\u2010/g, '-')
    .replace(/\p{Cc}/gu, ' ');

function metadata(element: PageElement, changes: Changes): NodeMetadata {
  const { tag, class: className, dir, style, fit } = element;
  const size = fit?.kind === 'words' ? { fontSize: `${fit.size}rem` } : {};
  return {
    ...(tag !== undefined && { tagName: tag }),
    ...(className !== undefined && { className }),
    ...(dir !== undefined && { dir }),
    style: { ...size, ...style, ...changes.of(element).style },
  };
}
