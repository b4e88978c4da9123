/** One channel between nodes, shared by several subjects. */
import type { NodeChannel } from './node-channel.ts';

type ChannelReceiver = Parameters<NodeChannel['open']>[0];

/**
 * Divides a channel into topics, and returns the channel of a topic: one character, which stands before each of its texts.
 * It is open while any topic is.
 */
export function channelTopics(channel: NodeChannel): (topic: string) => NodeChannel {
  const open = new Map<string, ChannelReceiver>();

  function begin(topic: string, receiver: ChannelReceiver): void {
    if (open.has(topic)) throw new Error(`the topic ${topic} is open already`);
    const isFirst = open.size === 0;
    open.set(topic, receiver);
    if (!isFirst) return;
    channel.open({
      // Nobody listens yet, or any longer: that is not a fault of the text.
      receive: (from, text) => open.get(text.slice(0, 1))?.receive(from, text.slice(1)) ?? true,
      reconnected() {
        for (const { reconnected } of open.values()) reconnected();
      },
    });
  }

  return (topic) => ({
    node: channel.node,
    post: (to, text) => channel.post(to, topic + text),
    open: (receiver) => begin(topic, receiver),
    receivedAt: (node) => channel.receivedAt(node),
    close() {
      if (open.delete(topic) && open.size === 0) channel.close();
    },
  });
}
