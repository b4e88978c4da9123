/** Where the console and the API are: below the path prefix that the page was served with. */

const given = document.documentElement.dataset.base ?? '/console/';

/** The console's own address, with a slash at its end. */
export const consoleBase = new URL(given, location.origin).href;

/** The address of the API. */
export const apiBase = consoleBase.replace(/console\/$/, '');
