/** Commands of one gateway, over whatever connections and dialects it has. */
import type { TraitsOf } from '../frames/dialect-traits.ts';
import type { Reach } from '../nodes/reach-frames.ts';
import type { Whereabouts } from '../nodes/whereabouts.ts';
import { type CommandEdges, frameCommands } from './command-frame.ts';
import { pingFrame } from './ping-frame.ts';
import { commandReplies } from './replies.ts';

/** Puts asking, pinging and hearing replies together. */
export function openCommands(
  given: Pick<CommandEdges, 'db' | 'clock' | 'random' | 'logger'>,
  reach: Pick<Reach, 'connection' | 'say'>,
  whereabouts: Pick<Whereabouts, 'tellOthers'>,
  traitsOf: TraitsOf,
) {
  const { db, clock, random, logger } = given;
  const news = (command: string): void => whereabouts.tellOthers({ do: 'look', command });
  const replies = commandReplies({ db, clock, random, news });
  const edges: CommandEdges = {
    ...{ db, clock, random, logger, replies, traitsOf, news },
    connection: reach.connection,
    send: reach.say,
  };
  return { ...frameCommands(edges), ping: pingFrame(edges), heard: replies.heard, look: replies.look };
}
