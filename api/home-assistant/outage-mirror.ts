/**
 * Publishes to Home Assistant what stays wrong in the organization, as a device of the service's own: how many outages last,
 * which, and an event for each that begins or ends (docs/alerts.md). Automations send it on to people.
 */
import type { Timer } from '../../runtime/clock.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { OutageRow } from '../alerts/outage-kinds.ts';
import { wordMessage } from '../alerts/word-message.ts';
import type { HomeLink } from './home-link.ts';
import { outageTopics, serviceDiscoveryTopic, serviceHassId, serviceTopic } from './topics.ts';

/** Outages are found once a minute, by whichever node does that. */
const lookMs = 60_000;
/** The most outages that the attributes list. */
const maxListed = 50;

export interface OutageMirrorDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly prefix: string;
  readonly version: string;
  readonly publicUrl: () => string;
  readonly link: Pick<HomeLink, 'isUp' | 'publish'>;
  /** Reads the outages that are not closed, the newest first: one that may begin again has not ended yet (INV-90). */
  readonly readOutages: () => Promise<readonly OutageRow[]>;
}

/** The report of the event entity. */
export const outageEvents = ['began', 'ended'] as const;

/** Puts the discovery message of the service's own device together. */
export function serviceMessage(version: string, publicUrl: string): object {
  const own = (key: string, platform: string, name: string, more: object) => ({
    platform,
    name,
    unique_id: `${serviceHassId}_${key}`,
    default_entity_id: `${platform}.papergate_${key}`,
    ...more,
  });
  return {
    device: {
      identifiers: [serviceHassId],
      name: 'Papergate',
      manufacturer: 'Papergate',
      sw_version: version,
      ...(/^https?:/.test(publicUrl) && { configuration_url: `${publicUrl}/console` }),
    },
    origin: { name: 'Papergate', sw_version: version },
    availability: [{ topic: serviceTopic }],
    state_topic: outageTopics.state,
    qos: 1,
    components: {
      outages: own('outages', 'sensor', 'Outages', {
        state_class: 'measurement',
        value_template: '{{ value_json.count }}',
        json_attributes_topic: outageTopics.state,
      }),
      trouble: own('trouble', 'binary_sensor', 'Something needs you', {
        device_class: 'problem',
        value_template: "{{ 'ON' if value_json.count > 0 else 'OFF' }}",
      }),
      outage: own('outage', 'event', 'Outage', { state_topic: outageTopics.event, event_types: outageEvents }),
    },
  };
}

export class OutageMirror {
  readonly #deps: OutageMirrorDeps;
  /** The outages that lasted at the last look; undefined before the first one, which reports no beginnings. */
  #lasting: ReadonlyMap<string, OutageRow> | undefined;
  /** The last message of each topic since the connection began. */
  readonly #told = new Map<string, string>();
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: OutageMirrorDeps) {
    this.#deps = deps;
  }

  /** Publishes everything again: after a connect, and when Home Assistant was started. Looks again each minute from then on. */
  tellAll(): void {
    this.#told.clear();
    this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #look(): void {
    this.#timer?.cancel();
    const { clock, logger } = this.#deps;
    this.#running = this.#running
      .then(() => this.#tell())
      .catch((error: unknown) => logger.warn({ error }, "outages could not be read for the home's broker"));
    this.#timer = clock.after(lookMs, () => inBackground(logger, 'tell of outages', async () => this.#look()));
  }

  async #tell(): Promise<void> {
    const { link, prefix, version, publicUrl, readOutages } = this.#deps;
    if (this.#isStopped || !link.isUp()) return;
    const rows = await readOutages();
    const before = this.#lasting;
    const lasting = new Map(rows.map((row) => [row.id, row]));
    this.#lasting = lasting;
    await this.#publish(serviceDiscoveryTopic(prefix), serviceMessage(version, publicUrl()));
    const present = rows.filter(({ ended_at }) => ended_at === null);
    const outages = present.slice(0, maxListed).map((row) => this.#wordOutage(row));
    await this.#publish(outageTopics.state, { count: present.length, outages });
    if (before === undefined) return;
    for (const row of rows) if (!before.has(row.id)) await this.#tellEvent('began', row);
    for (const row of before.values()) if (!lasting.has(row.id)) await this.#tellEvent('ended', row);
  }

  /** Publishes retained what the broker has not yet. */
  async #publish(topic: string, message: object): Promise<void> {
    const text = JSON.stringify(message);
    if (this.#told.get(topic) === text) return;
    if (await this.#deps.link.publish(topic, text, { retain: true })) this.#told.set(topic, text);
  }

  async #tellEvent(type: (typeof outageEvents)[number], row: OutageRow): Promise<void> {
    const event = { event_type: type, ...this.#wordOutage(row, type === 'ended') };
    await this.#deps.link.publish(outageTopics.event, JSON.stringify(event));
  }

  #wordOutage({ id, kind, subject, name, since }: OutageRow, isOver = false) {
    const endedAt = isOver ? this.#deps.clock.now() : null;
    const wording = { language: 'en', timeZone: 'UTC', publicUrl: this.#deps.publicUrl() } as const;
    const { title, link } = wordMessage(id, [{ id, kind, subject, name, since, endedAt }], 0, wording);
    return { kind, name, title, since: isoTime(since), link };
  }
}
