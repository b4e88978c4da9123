/**
 * Carries out what Home Assistant asks for. Anyone who may publish at the home's broker can write anything there, so a
 * command is data from outside: judged by its form, for frames of the one organization, and limited (T-95).
 */
import { z } from 'zod';
import { Refusal } from '../../reasons/refusals.ts';
import type { Logger } from '../../runtime/logger.ts';
import { countInAll, type RateLimit } from '../http/limit-rate.ts';
import type { CallRoute } from './call-routes.ts';
import { homeActs } from './discovery-message.ts';
import type { FrameMirror } from './frame-mirror.ts';
import type { ReceivedMessage } from './home-link.ts';
import { readCommandTopic } from './topics.ts';

/** Commands a minute for one frame, and for all of them. */
export const commandsPerFrame = 10;
export const commandsOfAll = 60;

const maxPayloadBytes = 500;
const paperName = z.string().min(1).max(120);
const act = z.enum(homeActs);

export interface CarryOutDeps {
  readonly call: CallRoute;
  readonly mirror: Pick<FrameMirror, 'deviceOf' | 'paperNamed'>;
  readonly logger: Logger;
  readonly limits: { readonly frame: RateLimit; readonly all: RateLimit; readonly log: RateLimit };
}

/** Carries out one command, or logs in one line why it is ignored. */
export async function carryOut(deps: CarryOutDeps, message: ReceivedMessage): Promise<void> {
  try {
    const why = await tryCommand(deps, message);
    if (why === undefined) return;
    await deps.limits.log.count('ignored');
    deps.logger.warn({ bytes: message.payload.length }, `a command of the home's broker is ignored: ${why}`);
  } catch (error) {
    // Above the limit of lines nothing more is logged.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Returns the reason why nothing is done; undefined when it is done. */
async function tryCommand(
  { call, mirror, limits }: CarryOutDeps,
  message: ReceivedMessage,
): Promise<string | undefined> {
  const { topic, payload, retained } = message;
  // Somebody cleared a topic.
  if (payload.length === 0) return undefined;
  const command = readCommandTopic(topic);
  if (command === undefined) return 'its topic is not that of a command';
  if (retained) return 'the broker kept it, so nobody may have sent it now; publish commands without retain';
  const deviceId = mirror.deviceOf(command.serial);
  if (deviceId === undefined) return 'its frame does not belong to the organization';
  if (payload.length > maxPayloadBytes) return 'it is too long';
  const text = payload.toString('utf8');
  const params = { deviceId };
  const wanted = command.what === 'paper' ? paperName.safeParse(text) : act.safeParse(text);
  if (!wanted.success) return 'there is no such command';
  const paper = command.what === 'paper' ? mirror.paperNamed(text) : undefined;
  if (command.what === 'paper' && paper === undefined) return 'there is no paper of that name';
  try {
    await countInAll([
      [limits.frame, command.serial],
      [limits.all, 'all'],
    ]);
    if (command.what === 'paper') await call('POST /devices/:deviceId', { params, body: { paper } });
    else await call(`POST /devices/${text}/:deviceId`, { params });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
