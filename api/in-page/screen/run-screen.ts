/**
 * The script of every page of a recipe. It fits what stands on the screen once all of it has come, and then reports the
 * page as ready: to recipes by the name that they know, to the service by its marker.
 */
import { fitScreen } from './fit-screen.ts';
import { setStandIns } from './stand-ins.ts';

declare global {
  interface Window {
    /** Whether the screen is fitted; undefined before the first time. */
    TRMNL_PLUGINS_READY?: boolean;
    /** Fits the screen again, for recipes that change it later. */
    terminalize?: () => Promise<void>;
    /** Set by recipes that have nothing to show now. */
    TRMNL_SKIP_SCREEN_GENERATION?: boolean;
  }
}

/** A page whose files do not come is fitted as it is. */
const maxLoadMs = 8_000;
const maxPicturesMs = 1_500;
const readyMarker = 'website-has-loaded';

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const loaded = (): Promise<void> =>
  new Promise((resolve) => {
    if (document.readyState === 'complete') resolve();
    else window.addEventListener('load', () => resolve(), { once: true });
  });

/** Scripts draw in the frames after the load. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

async function fitWhatCame(): Promise<void> {
  window.TRMNL_PLUGINS_READY = false;
  const pictures = Array.from(document.images, (image) => image.decode());
  await Promise.race([Promise.allSettled([document.fonts.ready, ...pictures]), after(maxPicturesMs)]);
  for (const screen of document.querySelectorAll<HTMLElement>('.screen')) fitScreen(screen);
  window.TRMNL_PLUGINS_READY = true;
}

/** A page that reports an error leaves the picture before it where it is. */
function keepLastPicture(): void {
  const root = document.documentElement;
  root.setAttribute(
    'data-paperless-render-error',
    'The recipe has nothing to show now, and asks to keep the last picture',
  );
  root.setAttribute('data-paperless-render-status', 'error');
}

async function run(): Promise<void> {
  await Promise.race([loaded(), after(maxLoadMs)]);
  await Promise.race([drawn(), after(maxPicturesMs)]);
  await fitWhatCame();
  if (window.TRMNL_SKIP_SCREEN_GENERATION === true) keepLastPicture();
  const marker = document.createElement('div');
  marker.id = readyMarker;
  marker.hidden = true;
  document.body.append(marker);
}

// Markup that names the framework's own script gets this one once more.
if (window.terminalize === undefined) {
  window.terminalize = fitWhatCame;
  setStandIns();
  // A title bar without its icon looks better than one with a mark that it is missing.
  window.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLImageElement && target.closest('.title_bar') !== null) target.remove();
    },
    true,
  );
  document.addEventListener('DOMContentLoaded', run, { once: true });
}
