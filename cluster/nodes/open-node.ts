/** This process as one of several nodes: its row, its channel to the others, and where all frames are. */
import type { Clock } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Cluster } from '../cluster.ts';
import { type NodesByMessages, nodesByMessages } from './by-messages.ts';
import { measureChannelLag } from './channel-lag.ts';
import { channelTopics } from './channel-topics.ts';
import { countersAmongNodes } from './counters.ts';
import { workUnderLease } from './leases.ts';
import type { NodeChannel } from './node-channel.ts';
import { nodeClock } from './node-clock.ts';
import { joinNodes, type NodeIdentity, type NodeLife, type NodeLifeDeps, type NodeSeen } from './node-life.ts';
import type { NodeMeter } from './node-measures.ts';
import { singleTaskAmongNodes } from './single-task.ts';
import { watchNodes } from './watch-nodes.ts';

export interface OpenNodeDeps
  extends Pick<NodeLifeDeps, 'requireReadable'>,
    Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  /** Counts what becomes of nodes. Where nobody reads it the lag of the channel is not measured. */
  readonly meter?: NodeMeter | undefined;
  /** Makes the channel to the other nodes. */
  readonly openChannel: (id: string) => NodeChannel;
}

/** This process among the nodes. */
export interface OpenedNode extends Cluster {
  readonly id: string;
  readonly name: string;
  /** The clock by which this process works: it follows the database's. */
  readonly clock: Clock;
  /** Every node with a row, by name, as of the last heartbeat. */
  nodes(): readonly NodeSeen[];
  /** The present time by the database's clock, as far as it was read. */
  now(): number;
}

/** The topics of the channel that are opened here; the others are opened by anyone who uses them. */
const topicOf = { sessions: 's', counters: 't', lag: 'd' } as const;

/** A node that hears nothing from living ones for this time, in which each of them sends four messages, is deaf. */
const deafAfterMs = 36_000;

/** Every so many heartbeats a node publishes all its sessions again: what was lost costs seconds. */
const beatsBetweenLists = 3;

/**
 * Makes this process a node.
 * @throws Refusal `bad-configuration` while another living node has the name, or when this machine's clock is wrong
 */
export async function openNode(deps: OpenNodeDeps, identity: NodeIdentity): Promise<OpenedNode> {
  const { db, clock, logger, meter, openChannel } = deps;
  const channel = openChannel(identity.id);
  let beats = 0;
  let frames: NodesByMessages | undefined;
  let life: NodeLife | undefined;
  let lag: ReturnType<typeof measureChannelLag> | undefined;
  const watch = watchNodes(deps, identity.id);
  const beaten = (nodes: readonly NodeSeen[]): void => {
    // After a failure of the database every node has been silent.
    const isGone = ({ state }: NodeSeen): boolean => state === 'dead' && life?.isSteady() === true;
    frames?.keep(new Set(nodes.flatMap((node) => (isGone(node) ? [] : [node.id]))));
    watch(nodes, life?.isSteady() === true);
    beats++;
    // The others have forgotten a node that was held up for long.
    const isMissed = life?.isSteady() === false;
    if (isMissed || beats % beatsBetweenLists === 0) frames?.publishAgain();
    // It goes with what was just published.
    if (beats % beatsBetweenLists === 0) lag?.publish();
  };
  const openedAt = clock.now();
  /**
   * Every node sends a message every few heartbeats. A node that hears none of several others although their rows move
   * is deaf.
   */
  const isDeaf = (): boolean => {
    const since = clock.now() - deafAfterMs;
    const others = life?.nodes().filter((node) => node.id !== identity.id && node.state !== 'dead') ?? [];
    const old = others.filter(({ startedAt, heartbeatAt }) => heartbeatAt - startedAt > deafAfterMs);
    return openedAt < since && old.length > 0 && old.every((node) => (channel.receivedAt(node.id) ?? 0) < since);
  };
  const joined = await joinNodes({ ...deps, beaten, isDeaf }, identity);
  life = joined;
  const { id, name } = identity;
  const { asked, reached, nodes, now, isSteady } = joined;
  const topics = channelTopics(channel);
  frames = nodesByMessages(topics(topicOf.sessions), now);
  const ownClock = nodeClock(clock, now);
  const counters = countersAmongNodes(topics(topicOf.counters), ownClock);
  lag = meter && measureChannelLag(topics(topicOf.lag), { now, logger, meter });
  const single = singleTaskAmongNodes({ db, clock, logger, meter, holder: id });
  const living = (): string[] => nodes().flatMap((node) => (node.state === 'alive' ? [node.id] : []));
  return {
    id,
    name,
    clock: ownClock,
    sessions: frames,
    asked,
    reached,
    nodes,
    isDeaf,
    now,
    living,
    isSteady,
    single,
    underLease: (lease, begin) => workUnderLease({ db, clock: ownClock, logger, holder: id }, lease, begin).stop,
    counters,
    channel: topics,
    async drain() {
      await joined.drain();
      await single.stop();
    },
    async leave() {
      await single.stop();
      counters.close();
      lag?.close();
      await joined.leave();
    },
  };
}
