/** Keeps what the home's broker retains in step with the frames of one organization: it publishes what changed, once. */
import { createHash } from 'node:crypto';
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { DeviceOverview } from '../routes/devices/overview-route.ts';
import {
  discoveryMessage,
  type HomeFacts,
  type HomeFrame,
  happenedBetween,
  homeEvidence,
  homeState,
  withRemoved,
} from './discovery-message.ts';
import type { HomeLink } from './home-link.ts';
import type { HomeReader } from './read-home.ts';
import { discoveryTopic, retainedTopics, topicsOfFrame } from './topics.ts';

/** Changes that come together are read together. */
const gatherMs = 300;
const retryMs = 10_000;
/** A larger picture would be a burden for brokers of a home; a panel of two megapixels in six inks has well below a MiB. */
const maxPictureBytes = 2 * 1024 * 1024;

type Components = Readonly<Record<string, { readonly platform: string }>>;

/** The messages of one frame that were published since the connection began: digests by topic. */
interface Published {
  readonly deviceId: string;
  shown: DeviceOverview;
  readonly digests: Map<string, string>;
}

export interface MirrorDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly prefix: string;
  readonly link: Pick<HomeLink, 'isUp' | 'publish' | 'takes'>;
  readonly reader: HomeReader;
}

export class FrameMirror {
  readonly #deps: MirrorDeps;
  readonly #told = new Map<string, Published>();
  /** The components in the discovery messages that the broker retains, by serial. */
  readonly #retained = new Map<string, Components>();
  #facts: HomeFacts | undefined;
  #wanted = new Set<string>();
  #wantsAll = false;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #hasFailed = false;
  #isStopped = false;

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
  }

  /** The device that a frame of the organization is bound to; undefined for any other frame. */
  deviceOf(serial: string): string | undefined {
    return this.#told.get(serial)?.deviceId;
  }

  /** The id of the paper that stands under a name among the choices. */
  paperNamed(name: string): string | undefined {
    return [...(this.#facts?.nameOfPaper ?? [])].find(([, own]) => own === name)?.[0];
  }

  /** Publishes everything again: after a connect, and when Home Assistant was started. */
  tellAll(): void {
    for (const { digests } of this.#told.values()) digests.clear();
    this.refresh(undefined);
  }

  /** Reads these devices again soon, or all of them. */
  refresh(deviceIds: readonly string[] | undefined): void {
    if (deviceIds === undefined) this.#wantsAll = true;
    else for (const id of deviceIds) this.#wanted.add(id);
    this.#soon(gatherMs);
  }

  /** Notes a discovery message that the broker has kept. One of a frame that is gone is taken back. */
  hearRetained(serial: string, components: Components): void {
    const known = this.#told.get(serial);
    this.#retained.set(serial, components);
    known?.digests.delete(discoveryTopic(this.#deps.prefix, serial));
    this.refresh(known === undefined ? undefined : [known.deviceId]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #soon(delayMs: number): void {
    if (this.#isStopped || this.#timer !== undefined || this.#running !== undefined) return;
    this.#timer = this.#deps.clock.after(delayMs, () => {
      this.#timer = undefined;
      // A run that finds no connection is over before it is noted here, so that its end is noted here, too.
      inBackground(this.#deps.logger, "tell the home's broker", async () => {
        this.#running = this.#run();
        await this.#running;
        this.#running = undefined;
        if (this.#wantsAll || this.#wanted.size > 0) this.#soon(this.#hasFailed ? retryMs : gatherMs);
      });
    });
  }

  async #run(): Promise<void> {
    const [all, some] = [this.#wantsAll, [...this.#wanted]];
    this.#wantsAll = false;
    this.#wanted = new Set();
    this.#hasFailed = false;
    try {
      // After a connect everything is published anyway.
      if (this.#deps.link.isUp()) await (all ? this.#mirrorAll() : this.#mirrorSome(some));
    } catch (error) {
      this.#hasFailed = true;
      this.#wantsAll = true;
      this.#deps.logger.warn({ error }, "frames could not be read for the home's broker; it is tried again");
    }
  }

  async #mirrorAll(): Promise<void> {
    const { reader } = this.#deps;
    const facts = await reader.facts();
    this.#facts = facts;
    const seen = new Set<string>();
    for await (const frames of reader.all()) {
      for (const frame of frames) {
        seen.add(frame.serial);
        await this.#tell(frame, facts);
      }
    }
    for (const serial of new Set([...this.#told.keys(), ...this.#retained.keys()])) {
      if (!seen.has(serial)) await this.#takeBack(serial);
    }
  }

  async #mirrorSome(deviceIds: readonly string[]): Promise<void> {
    this.#facts ??= await this.#deps.reader.facts();
    const frames = await this.#deps.reader.some(deviceIds);
    for (const frame of frames) await this.#tell(frame, this.#facts);
    const serials = new Set(frames.map(({ serial }) => serial));
    for (const [serial, { deviceId }] of this.#told) {
      if (deviceIds.includes(deviceId) && !serials.has(serial)) await this.#takeBack(serial);
    }
  }

  async #tell(frame: HomeFrame, facts: HomeFacts): Promise<void> {
    const { serial, shown } = frame;
    if (this.#isStopped) return;
    const topics = topicsOfFrame(serial);
    const before = this.#told.get(serial);
    const told: Published =
      before?.deviceId === shown.id ? before : { deviceId: shown.id, shown, digests: new Map<string, string>() };
    this.#told.set(serial, told);
    const message = withRemoved(discoveryMessage(frame, facts), this.#retained.get(serial) ?? {});
    if (await this.#publish(told, discoveryTopic(this.#deps.prefix, serial), JSON.stringify(message))) {
      this.#retained.set(serial, message.components);
    }
    await this.#publish(told, topics.evidence, JSON.stringify(homeEvidence(frame)));
    await this.#publish(told, topics.state, JSON.stringify(homeState(frame, facts)));
    for (const event of happenedBetween(told.shown, shown)) {
      await this.#deps.link.publish(topics.event, JSON.stringify({ event_type: event }));
    }
    told.shown = shown;
    await this.#tellPicture(told, topics.glass, shown.glass?.uploadId);
    await this.#tellPicture(told, topics.due, shown.due?.uploadId ?? shown.glass?.uploadId);
  }

  /** Publishes retained what the broker has not yet. */
  async #publish({ digests }: Published, topic: string, text: string): Promise<boolean> {
    const digest = createHash('sha256').update(text).digest('base64');
    if (digests.get(topic) === digest) return true;
    const isTold = await this.#deps.link.publish(topic, text, { retain: true });
    if (isTold) digests.set(topic, digest);
    return isTold;
  }

  /** A picture is drawn only when another one is to be shown. */
  async #tellPicture({ deviceId, digests }: Published, topic: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined || digests.get(topic) === uploadId) return;
    const bytes = await this.#deps.reader.picture(deviceId, uploadId).catch((error: unknown) => {
      this.#deps.logger.debug({ error }, "a picture could not be drawn for the home's broker");
      return undefined;
    });
    if (bytes === undefined) return;
    const { link } = this.#deps;
    if (bytes.length > maxPictureBytes || !link.takes(topic, bytes)) {
      // The one that the broker retains is no longer what hangs there.
      if (await link.publish(topic, '', { retain: true })) digests.set(topic, uploadId);
      return;
    }
    if (await link.publish(topic, bytes, { retain: true })) digests.set(topic, uploadId);
  }

  /** Takes everything back that was published of a frame: Home Assistant removes its device. */
  async #takeBack(serial: string): Promise<void> {
    const topics = [discoveryTopic(this.#deps.prefix, serial), ...retainedTopics(serial)];
    for (const topic of topics) {
      if (!(await this.#deps.link.publish(topic, '', { retain: true }))) return;
    }
    this.#told.delete(serial);
    this.#retained.delete(serial);
  }
}
