/** The steps of a native frame that receives a command. */
import type { Message } from '../../../firmware-protocol/messages.ts';
import { defaultSleepSeconds, only, type Step, trace } from '../../frame/frame.ts';
import { type NativeState, restart, say } from './native-state.ts';

const remembered = 8;

/** Replies to a command and carries it out; a command that was answered before is only answered again. */
export function answerCommand(state: NativeState, command: Message<'command'>): Step<NativeState> {
  const repeated = state.answeredCommands.includes(command.id);
  const known = { ...state, answeredCommands: [...state.answeredCommands, command.id].slice(-remembered) };
  const traced = trace(repeated ? 'command repeated' : 'command', { name: command.name });
  const reply = say(state, 'reply', { command: command.id, ok: true, data: dataFor(state, command.name) });
  if (repeated) return only(state, traced, reply);
  if (command.name === 'reboot') return restart(known, traced, reply);
  if (command.name === 'reset') return only({ ...known, sleepSeconds: defaultSleepSeconds }, traced, reply);
  return only(known, traced, reply);
}

function dataFor(state: NativeState, name: Message<'command'>['name']): Message<'reply'>['data'] {
  if (name === 'reset') return { sleepSeconds: defaultSleepSeconds };
  return {
    batteryMv: Math.round(state.batteryMv),
    rssi: state.rssi,
    fileVersion: state.fileVersion,
    panel: state.panel.name,
    firmware: state.firmware,
  };
}
