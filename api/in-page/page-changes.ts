/**
 * The movements of a page, and its unfinished work. Each function is sent to the page as text, so it names no other
 * function and none inside.
 */

/** The name under which a page keeps its watched state. */
export const watchedName = 'papergate.watched';

/** The observations of a page. All times are the page's own, in milliseconds. */
interface Watched {
  /** The page's clock, as it was before any script of the page. */
  readonly now: () => number;
  /** As it was before as well. */
  readonly checkVisibility: Element['checkVisibility'];
  /** The nodes that changed, and when each did last. */
  readonly touched: Map<Node, number>;
  changedAt: number;
  /** One-shot timers and the first rounds of repeated ones: when they are due, and whether the page's own site set them. */
  readonly timers: Map<number, { readonly due: number; readonly isOwn: boolean; readonly isRepeated: boolean }>;
  readonly repeated: Set<number>;
  /** Until when a frame of an animation, or a timer that is set again and again, keeps the page going. */
  goesOnUntil: number;
  /** Shadow trees that the page itself cannot ask for. */
  readonly closedTrees: Map<Element, ShadowRoot>;
}

/** The state of a page at a moment. */
export interface PageChanges {
  /** The milliseconds since something that can be seen changed. */
  readonly unchangedMs: number;
  /** The milliseconds until the last timer that is worth waiting for is due; 0 where there is none. */
  readonly timerMs: number;
  /** Whether the page may still change by itself, without any request. */
  readonly isAlive: boolean;
}

/**
 * Watches the nodes of a page from before its first script, those in shadow trees too.
 */
export function watchMutations(name: string): void {
  const now = performance.now.bind(performance);
  const watched: Watched = {
    now,
    checkVisibility: Element.prototype.checkVisibility,
    touched: new Map(),
    changedAt: now(),
    timers: new Map(),
    repeated: new Set(),
    goesOnUntil: 0,
    closedTrees: new Map(),
  };
  Object.defineProperty(window, Symbol.for(name), { value: watched });
  const unseen = ['script', 'style', 'link', 'meta', 'template', 'noscript'];
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes, removedNodes } of records) {
      const isSeen =
        type !== 'childList' ||
        [...addedNodes, ...removedNodes].some(({ nodeType, nodeName, textContent }) =>
          nodeType === Node.ELEMENT_NODE
            ? !unseen.includes(nodeName.toLowerCase())
            : nodeType === Node.TEXT_NODE && (textContent ?? '').trim() !== '',
        );
      if (isSeen && watched.touched.size < 500) watched.touched.set(target, now());
    }
  });
  const everything = { childList: true, subtree: true, attributes: true, characterData: true };
  observer.observe(document, everything);
  Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
    apply(attach, element, given) {
      const root = Reflect.apply(attach, element, given);
      observer.observe(root, everything);
      if (given[0]?.mode === 'closed') watched.closedTrees.set(element, root);
      return root;
    },
  });
}

/** Watches the timers of a page whose nodes are watched. They go on as they are. */
export function watchTimers(name: string): void {
  const watched: Watched = Reflect.get(window, Symbol.for(name));
  const { now } = watched;
  // A callback that is set again and again is a loop, which nobody waits for.
  const known = new WeakMap<object, number>();
  const timings = [
    ['setTimeout', false],
    ['setInterval', true],
  ] as const;
  for (const [kind, isRepeated] of timings) {
    Object.assign(window, {
      [kind]: new Proxy(window[kind], {
        apply(set, self, given) {
          const id: number = Reflect.apply(set, self, given);
          const [callback, wished] = given;
          const delay = Number(wished) || 0;
          if (isRepeated) watched.repeated.add(id);
          if (delay > 20_000 || watched.timers.size > 1_000 || typeof callback !== 'function') return id;
          const times = (known.get(callback) ?? 0) + 1;
          known.set(callback, times);
          if (times > 2) watched.goesOnUntil = now() + delay + 1_000;
          if (times > 2) return id;
          // The first address on the stack is the script that set it; the page's own lie at its own site.
          const from = /https?:\/\/([^/:\s]+)/.exec(new Error().stack ?? '')?.[1] ?? location.hostname;
          const site = location.hostname.split('.').slice(-2).join('.');
          watched.timers.set(id, { due: now() + delay, isOwn: from.endsWith(site), isRepeated });
          return id;
        },
      }),
    });
  }
  for (const kind of ['clearTimeout', 'clearInterval'] as const) {
    window[kind] = new Proxy(window[kind], {
      apply(clear, self, given) {
        watched.timers.delete(given[0]);
        watched.repeated.delete(given[0]);
        return Reflect.apply(clear, self, given);
      },
    });
  }
  window.requestAnimationFrame = new Proxy(window.requestAnimationFrame, {
    apply(request, self, given) {
      watched.goesOnUntil = now() + 500;
      return Reflect.apply(request, self, given);
    },
  });
}

/**
 * Reads the state of a watched page. A change counts where it can be seen: of what was touched, only nodes within the
 * picture. Timers of others count as a sign of life alone: most of them measure visitors.
 * @param asked how long after the page was parsed a timer, and the first round of a repeated one, is worth waiting for
 */
export function readChanges(asked: { name: string; timersMs: number; repeatedMs: number }): PageChanges {
  const watched: Watched | undefined = Reflect.get(window, Symbol.for(asked.name));
  // A document that was put together without any script is not watched, and nothing in it moves.
  if (watched === undefined) return { unchangedMs: Number.POSITIVE_INFINITY, timerMs: 0, isAlive: false };
  const now = watched.now();
  let looks = 200;
  for (const [node, at] of watched.touched) {
    if (at <= watched.changedAt) continue;
    const element = node instanceof Element ? node : (node.parentElement ?? (node as ShadowRoot).host);
    if (looks-- > 0 && element instanceof Element) {
      if (!element.isConnected || document.head?.contains(element)) continue;
      const { top, left, bottom, right } = element.getBoundingClientRect();
      const isWithin = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
      if (!isWithin || !watched.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }))
        continue;
    }
    watched.changedAt = at;
  }
  watched.touched.clear();
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const parsedAt = navigation?.domContentLoadedEventEnd || now;
  let timerMs = 0;
  for (const [id, { due, isOwn, isRepeated }] of watched.timers) {
    if (due <= now) watched.timers.delete(id);
    else if (isOwn && due <= parsedAt + (isRepeated ? asked.repeatedMs : asked.timersMs))
      timerMs = Math.max(timerMs, due - now);
  }
  // An animation by which something appears or disappears is awaited; an endless one is not.
  for (const animation of document.getAnimations()) {
    const { endTime = Number.POSITIVE_INFINITY } = animation.effect?.getComputedTiming() ?? {};
    const leftMs = Number(endTime) - Number(animation.currentTime ?? 0);
    if (animation.playState === 'running' && leftMs < 3_000) timerMs = Math.max(timerMs, leftMs);
  }
  const isAlive = watched.timers.size > 0 || watched.repeated.size > 0 || now < watched.goesOnUntil;
  return { unchangedMs: now - watched.changedAt, timerMs, isAlive };
}
