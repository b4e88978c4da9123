/** Commands of one gateway, over whatever connections and dialects it has. */
import type { FrameBroker } from '../broker/broker.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { type CommandEdges, frameCommands } from './command-frame.ts';
import { pingFrame } from './ping-frame.ts';
import { commandReplies } from './replies.ts';

/** Puts asking, pinging and hearing replies together. `broker` is there once frames are listened for. */
export function openCommands(
  given: Pick<CommandEdges, 'db' | 'clock' | 'random' | 'logger'>,
  broker: () => FrameBroker | undefined,
  dialects: () => readonly Dialect[],
) {
  const { db, clock, random, logger } = given;
  const replies = commandReplies({ db, clock, random });
  const edges: CommandEdges = {
    ...{ db, clock, random, logger, replies },
    connection: (serial) => broker()?.conversation(serial),
    send(serial, command) {
      const conversation = broker()?.conversation(serial);
      if (conversation === undefined) return false;
      const messages = dialects().flatMap((dialect) => dialect.command?.(conversation, command) ?? []);
      return messages.length > 0 && broker()?.send(serial, messages) === true;
    },
  };
  return { ...frameCommands(edges), ping: pingFrame(edges), heard: replies.heard };
}
