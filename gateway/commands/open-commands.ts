/** Commands of one gateway, over whatever connections and dialects it has. */

import type { SessionRegistry } from '../../cluster/session-registry.ts';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { type CommandDeps, frameCommands } from './command-frame.ts';
import { pingFrame } from './ping-frame.ts';
import type { FrameReach } from './reach-frames.ts';
import { commandReplies } from './replies.ts';

/** Puts asking, pinging and hearing replies together. */
export function openCommands(
  given: Pick<CommandDeps, 'db' | 'clock' | 'random' | 'logger'>,
  reach: Pick<FrameReach, 'connection' | 'sendCommand'>,
  sessionRegistry: Pick<SessionRegistry, 'broadcast'>,
  traitsOf: TraitsOf,
) {
  const { db, clock, random, logger } = given;
  const news = (command: string): void => sessionRegistry.broadcast({ do: 'look', command });
  const replies = commandReplies({ db, clock, random, news });
  const deps: CommandDeps = {
    db,
    clock,
    random,
    logger,
    replies,
    traitsOf,
    news,
    connection: reach.connection,
    send: reach.sendCommand,
  };
  return { ...frameCommands(deps), ping: pingFrame(deps), replied: replies.replied, look: replies.look };
}
