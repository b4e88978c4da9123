/** Where the person is within the console, as a signal; links change it without loading a page. */
import { computed, signal } from '@preact/signals';
import { consoleBase } from './base.ts';
import { focusScreen } from './keep-focus.ts';

const here = signal(location.href);

addEventListener('popstate', () => {
  here.value = location.href;
});

/** The parts of the path below the console: `frames/5f…` is `['frames', '5f…']`. */
export const route = computed<readonly string[]>(() =>
  new URL(here.value).pathname
    .slice(new URL(consoleBase).pathname.length)
    .split('/')
    .filter(Boolean)
    .map(decodeURIComponent),
);

/** Whether an address needs no session: the guests' page, and the description of the API. */
export const isPublicPlace = ([first]: readonly string[]): boolean => first === 'guest' || first === 'api';

/** The query of the address. */
export const query = computed(() => new URL(here.value).searchParams);

/** Returns the address of a place within the console. */
export const hrefOf = (place: string): string => new URL(place, consoleBase).href;

/**
 * Whether the page at an address has a policy of its own: an integration's settings, where another origin may be framed.
 * Going there and leaving it loads a page, so that the policy holds there and nowhere else.
 */
const hasOwnPolicy = (href: string): boolean =>
  href.startsWith(consoleBase) && /^papers\/[0-9a-f]{24}\/settings/.test(href.slice(consoleBase.length));

/** Goes to a place within the console, such as `frames/5f…`. */
export function goTo(place: string, { replace = false } = {}): void {
  const href = hrefOf(place);
  if (hasOwnPolicy(href) || hasOwnPolicy(location.href)) {
    if (replace) location.replace(href);
    else location.assign(href);
    return;
  }
  if (replace) history.replaceState(null, '', href);
  else if (href !== location.href) history.pushState(null, '', href);
  here.value = href;
  if (replace) return;
  scrollTo(0, 0);
  focusScreen();
}

/** Changes the query of this place: an empty or undefined value leaves the name out. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, '', url);
  here.value = url.href;
}

/** Follows links of the console without loading a page, unless the person wants a new tab. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element).closest('a');
  if (link === null || link.target !== '' || link.hasAttribute('download') || !link.href.startsWith(consoleBase))
    return;
  // Addresses are relative to the console: the link over the navigation would lead to its first page.
  if (link.getAttribute('href') === '#content') {
    event.preventDefault();
    focusScreen();
    return;
  }
  const below = link.href.slice(consoleBase.length);
  // A public place did not look for a session.
  if (hasOwnPolicy(link.href) || hasOwnPolicy(location.href) || isPublicPlace(route.peek())) return;
  event.preventDefault();
  goTo(below);
}
