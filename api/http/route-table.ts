/**
 * Which route a path leads to. Routes are kept by the number of a path's words and the first of them, so that a call is
 * compared with a few of them and not with all.
 */
import type { AnyRoute } from './route.ts';

/** A route, and what the path says of its parameters, decoded. */
export interface FoundRoute {
  readonly route: AnyRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Routes by method and path. Cases of letters do not matter; the first of several that fit is taken. */
export interface RouteTable {
  find(method: string, path: string): FoundRoute | undefined;
  /** The methods that a path is known by; none for a path that nothing is at. */
  methodsOf(path: string): readonly string[];
}

interface Pattern {
  readonly route: AnyRoute;
  readonly methods: readonly string[];
  /** Lower case, or a parameter with its colon. */
  readonly words: readonly string[];
}

/** A table of these routes. */
export function routeTable(routes: readonly AnyRoute[]): RouteTable {
  const shelves = new Map<string, Pattern[]>();
  for (const route of routes) {
    const words = wordsOf(route.path).map((word) => (isParameter(word) ? word : word.toLowerCase()));
    if (isParameter(words[0] ?? '')) throw new Error(`${route.path} does not begin with a word`);
    // Whoever asks for the headers alone is answered by the same route.
    const methods = route.method === 'GET' ? ['HEAD', 'GET'] : [route.method];
    const shelf = shelves.get(shelfOf(words)) ?? [];
    shelves.set(shelfOf(words), [...shelf, { route, methods, words }]);
  }
  const none: readonly Pattern[] = [];
  const shelved = (words: readonly string[]) => shelves.get(shelfOf(words)) ?? none;
  return {
    find(method, path) {
      const words = wordsOf(path);
      for (const pattern of shelved(words)) {
        if (pattern.methods.includes(method) && fits(pattern, words)) {
          return { route: pattern.route, params: paramsOf(pattern, words) };
        }
      }
      return undefined;
    },
    methodsOf(path) {
      const words = wordsOf(path);
      return shelved(words).flatMap((pattern) => (fits(pattern, words) ? pattern.methods : []));
    },
  };
}

/** `/users/` and `/users` are one path, without a redirect (A-3, C-01). What is no path has no words. */
function wordsOf(path: string | null): string[] {
  if (!path?.startsWith('/')) return [];
  return path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');
}

const shelfOf = (words: readonly string[]): string => `${words.length} ${words[0]?.toLowerCase()}`;
const isParameter = (word: string): boolean => word.startsWith(':');

function fits(pattern: Pattern, words: readonly string[]): boolean {
  for (const [at, expected] of pattern.words.entries()) {
    const word = words[at] ?? '';
    if (isParameter(expected) ? word === '' : word.toLowerCase() !== expected) return false;
  }
  return true;
}

function paramsOf(pattern: Pattern, words: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, expected] of pattern.words.entries()) {
    if (isParameter(expected)) params[expected.slice(1)] = decoded(words[at] ?? '');
  }
  return params;
}

/** As it came where it is not well encoded: the route's own schema judges it. */
function decoded(word: string): string {
  if (!word.includes('%')) return word;
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
