/** Websites that keep the browser, and everybody who waits for it. */
import { type Abuse, addressOf, always, deviceOf, householdOf, makeUnseenPaper, sendJson } from './attack.ts';
import { servePages } from './hostile-pages.ts';
import { silentZone } from './own-network.ts';

/** Asks for pictures of these websites, some at once. */
function websites(what: string, atOnce: number, paths: readonly string[], households = 2): Abuse {
  return {
    what,
    needsNetwork: true,
    async attack(scene, tally) {
      const origin = await servePages();
      return (over) =>
        always(atOnce, over, tally, (at, turn) => {
          const household = householdOf(scene, at % households);
          const url = `${origin}/${paths[(at + turn) % paths.length]}?${at}-${turn}`;
          const path = `/devices/updateSingleImageFromWebsite/${deviceOf(household, at)}`;
          return sendJson(scene, household, path, { url }, { from: addressOf(at), signal: over });
        });
    },
  };
}

const silentFeeds: Abuse = {
  what: 'calendars at names that nobody answers, 20 a paper, 25 previews at once',
  needsNetwork: true,
  async attack(scene, tally) {
    const household = householdOf(scene, 0);
    const calendars = Array.from({ length: 20 }, (_, at) => ({
      key: `c${at}`,
      url: `http://f${at}.${silentZone}/a.ics`,
    }));
    const paper = await makeUnseenPaper(scene, household, 'calendar', { calendars });
    const options = { selectedCalendars: {}, dayRange: 30, maxEvents: 100 };
    return (over) =>
      always(25, over, tally, (at) => {
        const path = `/papers/${paper}/calendar-preview`;
        return sendJson(scene, household, path, options, { from: addressOf(at), signal: over });
      });
  },
};

const silentCallbacks: Abuse = {
  what: 'integrations at names that nobody answers, 30 previews at once',
  needsNetwork: true,
  async attack(scene, tally) {
    const household = householdOf(scene, 0);
    return (over) =>
      always(30, over, tally, (at, turn) => {
        const configUrl = `https://i${at}-${turn}.${silentZone}/manifest.json`;
        const options = { deviceId: deviceOf(household, at), kind: 'plugin', organization: household.organizationId };
        const json = { ...options, meta: { pluginConfigUrl: configUrl } };
        return sendJson(scene, household, '/papers/', json, { from: addressOf(at), signal: over });
      });
  },
};

/** Abuses of this sort. */
export const pageAbuses = {
  'dns-16': websites('websites with things from 16 names that nobody answers, 4 at once', 4, ['silent-16']),
  'dns-60': websites('the same with 60 names', 4, ['silent-60']),
  'dns-500': websites('the same with 500 names', 4, ['silent-500']),
  'dns-feeds': silentFeeds,
  'dns-manifests': silentCallbacks,
  'talk-console': websites('pages that write short lines to the console for ever, 4 at once', 4, [
    'console-now',
    'console-10k',
    'console-small',
  ]),
  'talk-loudly': websites('pages that write long lines and large things to the console for ever, 4 at once', 4, [
    'console-100k',
    'console',
    'console-steady',
    'console-objects',
    'console-kinds',
  ]),
  'talk-errors': websites('pages with endless errors and rejections, 4 at once', 4, [
    'errors',
    'rejections',
    'reports',
  ]),
  'talk-windows': websites('pages that open windows, dialogs and frames for ever, 4 at once', 4, [
    'windows',
    'dialogs',
    'frames',
    'moves',
  ]),
  'talk-requests': websites('pages that ask for things for ever, 4 at once', 4, [
    'requests',
    'beacons',
    'sockets',
    'data',
  ]),
  'talk-workers': websites('pages that start workers, change and grow, 4 at once', 4, [
    'workers',
    'mutations',
    'strings',
  ]),
  grow: websites('pages that grow in canvas, buffers, WebAssembly, blobs and images, 4 at once', 4, [
    'canvas',
    'buffers',
    'wasm',
    'blobs',
    'images',
  ]),
  'pages-drip': websites(
    'websites that drip for ever, 40 at once with one key',
    40,
    ['drip-page', 'drip-thing', 'drip-head'],
    1,
  ),
} satisfies Record<string, Abuse>;
