/** Says which variable named a port that the service could not listen on. */
import { type Refusal, refuse } from '../gateway/runtime/refusals.ts';
import type { Settings } from './settings.ts';

const ports = ['PAPERGATE_HTTP_PORT', 'PAPERGATE_MQTT_PORT', 'PAPERGATE_MQTTS_PORT'] as const;

const problems: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['is in use', 'end what listens there, or set another port'],
  EACCES: ['may not be opened by this user', 'set a port above 1023'],
};

/** The refusal for an error of listening, naming the variable and the port; undefined for every other error. */
export function refusedPort(error: unknown, settings: Pick<Settings, (typeof ports)[number]>): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const [problem, hint] = problems[code] ?? [];
  // Two variables that name one port are both named: whoever came second failed.
  const variables = ports.filter((variable) => settings[variable] === port);
  if (syscall !== 'listen' || problem === undefined || variables.length === 0) return undefined;
  return refuse('bad-configuration', {
    message: `${variables.join(' and ')}: port ${port} ${problem}`,
    ...(hint !== undefined && { hint }),
  });
}
