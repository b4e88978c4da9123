/** The models that the real core gets in place of a browser, a broker, a network and other people's servers. */

import type { RateLimit } from '../../../api/http/limit-rate.ts';
import { readContent } from '../../../api/http/uploaded-file.ts';
import type { IntegrationSettings } from '../../../api/integration/connection-deps.ts';
import { noHomeNetworks } from '../../../api/outgoing/home-networks.ts';
import { noWayOut } from '../../../api/outgoing/way-out.ts';
import type { Rendering } from '../../../api/rendering/rendering.ts';
import type { CoreDeps } from '../../../api/service/wire/core-deps.ts';
import type { BrokerDeps } from '../../../gateway/broker/broker.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { Disk } from './disk.ts';
import { drawing, normalized } from './drawing.ts';
import type { FakeBroker } from './fake-broker.ts';
import { type SimulatedProcess, whileAlive } from './process.ts';
import type { Receiver } from './receiver.ts';

/** The bases of all addresses; nobody listens there. */
export const addresses = {
  frameUrl: 'http://frames.test',
  publicUrl: 'http://papers.test',
  /** The base address that is entered into frames that poll. */
  polledUrl: 'http://papers.test/trmnl',
} as const;

/** The parts of the outside that outlive a process. */
export interface OutsideDeps {
  readonly disk: Disk;
  readonly receiver: () => Receiver;
  /** Renders a page under the fault rates of the moment. */
  readonly renderPage: Rendering['renderPage'];
}

const settings: IntegrationSettings = {
  production: true,
  processingEnabled: true,
  allowLocalhost: false,
  publicHosts: [],
  messageSourcePrefix: 'service',
};
const limitless: RateLimit = { count: async () => {}, check: async () => {} };

/** Creates the models for one process, which gets results only while it lives. */
export function modelledOutside(
  deps: OutsideDeps,
  process: SimulatedProcess,
  openBroker: (brokerDeps: BrokerDeps) => FakeBroker,
): Pick<
  CoreDeps,
  'rendering' | 'frames' | 'integration' | 'readCalendars' | 'readRecipe' | 'follow' | 'send' | 'publicUrl'
> {
  return {
    rendering: {
      renderPage: (options) => whileAlive(process, deps.renderPage(options)),
      renderDocument: async () => ({ ok: false, reason: 'no page is drawn here' }),
      async preparePicture(image, { panel, orientation }) {
        return { file: drawing(image, panel, orientation), sha256: '', preview: async () => undefined };
      },
      workOnRecipe: async () => ({ ok: false, reason: reasonOf('recipe-not-chosen') }),
    },
    frames: {
      dataFolder: '',
      listen: { host: '127.0.0.1', tlsPort: 0, plainPort: 0 },
      serverNames: [],
      openFolder: async () => deps.disk.pictures,
      openBroker: async (brokerDeps) => openBroker(brokerDeps),
    },
    integration: {
      settings: { ...settings, comparisons: new Map() },
      limits: { content: limitless, organizationContent: limitless, exchange: limitless },
      async normalizeImage(bytes) {
        const plain = normalized(await readContent(bytes));
        return plain === undefined ? { ok: false, problem: 'unsupported' } : { ok: true, bytes: plain, notes: [] };
      },
      readCatalogues: async () => [],
      fetchManifest: async () => ({ ok: false, problem: reasonOf('not-a-manifest') }),
    },
    readCalendars: async () => ({
      calendarAuth: { status: 'none', calendars: {} },
      calendarData: { calendars: [], events: [] },
    }),
    readRecipe: async () => ({ ok: false, reason: reasonOf('recipe-not-chosen') }),
    follow: { wayOut: noWayOut(systemClock), home: noHomeNetworks },
    send: (callback) => deps.receiver().send(process, callback),
    publicUrl: () => addresses.publicUrl,
  };
}
