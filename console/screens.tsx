/** Which screen an address shows. Each is loaded when it is first shown. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asProblem } from './ground/resource.ts';
import type { Screen } from './ground/screen.ts';
import { Loading, MissingScreen, ProblemBox } from './parts/states.tsx';
import { withTexts } from './texts.ts';

const loaders: Readonly<Record<string, () => Promise<Screen>>> = {
  frames: async () => (await withTexts('frames', () => import('./frames/frames.tsx'))).Frames,
  'frames/add': async () => (await withTexts('frames', () => import('./frames/add-frame.tsx'))).AddFrame,
  'frames/jobs': async () => (await withTexts('frames', () => import('./frames/jobs/jobs.tsx'))).Jobs,
  'frames/groups': async () => (await withTexts('frames', () => import('./frames/jobs/groups.tsx'))).Groups,
  'frames/…': async () => (await withTexts('frames', () => import('./frames/frame.tsx'))).Frame,
  send: async () => (await withTexts('send', () => import('./send/send.tsx'))).Send,
  papers: async () => (await withTexts('papers', () => import('./papers/papers.tsx'))).Papers,
  'papers/…/settings': async () =>
    (await withTexts('papers', () => import('./papers/integration/integration-settings.tsx'))).IntegrationSettings,
  people: async () => (await withTexts('people', () => import('./people/people.tsx'))).People,
  guest: async () => (await withTexts('guests', () => import('./guests/guest.tsx'))).GuestPage,
  service: async () => (await withTexts('operating', () => import('./operating/service.tsx'))).Service,
  api: async () => (await withTexts('apiPage', () => import('./api-page/api-page.tsx'))).ApiPage,
  account: async () => (await withTexts('account', () => import('./account/account.tsx'))).Account,
};

const loaded = new Map<string, Screen>();

/**
 * Returns the name of the loader for an address: one frame, adding one, jobs, groups, and the settings of an integration
 * have screens of their own.
 */
function nameOf([first = 'frames', second, third]: readonly string[]): string {
  if (first === 'papers' && third === 'settings') return 'papers/…/settings';
  if (first !== 'frames' || second === undefined) return first;
  return Object.hasOwn(loaders, `frames/${second}`) ? `frames/${second}` : 'frames/…';
}

/** Draws the screen of an address. */
export const ScreenOf = ({ path }: { readonly path: readonly string[] }) => {
  const [name, rest] = [nameOf(path), path.slice(1)];
  const problem = useSignal<unknown>(undefined);
  const version = useSignal(0);
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  useEffect(() => {
    problem.value = undefined;
    if (load === undefined || loaded.has(name)) return;
    load().then(
      (screen) => {
        loaded.set(name, screen);
        version.value += 1;
      },
      (error: unknown) => {
        problem.value = error;
      },
    );
  }, [name]);
  if (load === undefined) return <MissingScreen />;
  if (problem.value !== undefined)
    return <ProblemBox problem={asProblem(problem.value)} again={() => location.reload()} />;
  const Shown = version.value >= 0 ? loaded.get(name) : undefined;
  return Shown === undefined ? <Loading /> : <Shown rest={rest} />;
};
