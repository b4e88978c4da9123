/** `papergate deadlines`: deadlines and what is due on frames, over HTTP. */
import type { Schemas } from '../../client/contract.ts';
import { callApi, credentialsFromEnvironment } from '../ground/client.ts';
import { printJson, printTable, shortName, shortTime } from '../ground/print.ts';

interface DeadlineOptions {
  organization?: string;
  json?: boolean;
}

type Deadline = Schemas['Deadline'];

/** Counts the frames of the next time that is due, by state, such as `2 met, 1 missed`. */
function countStates({ due, nextBy }: Deadline): string | null {
  const shown = due.filter(({ by }) => by === (nextBy ?? due.at(-1)?.by));
  const states = [...new Set(shown.map(({ state }) => state))];
  const counted = states.map((state) => `${shown.filter((one) => one.state === state).length} ${state}`);
  return counted.length === 0 ? null : counted.join(', ');
}

/** Lists the deadlines that the caller may see. */
export async function listDeadlines({ organization, json }: DeadlineOptions): Promise<void> {
  const { deadlines } = await callApi(credentialsFromEnvironment(), 'GET /deadlines/', { query: { organization } });
  if (json === true) return printJson(deadlines);
  const rows = deadlines.map((one) => ({
    id: one.id,
    name: one.name === '' ? shortName(one.due[0]?.name ?? '') || null : shortName(one.name),
    paper: one.paper,
    next: shortTime(one.nextBy),
    grade: one.grade,
    frames: countStates(one),
  }));
  printTable(rows, ['id', 'name', 'paper', 'next', 'grade', 'frames']);
}

/** Lists what is due around now. */
export async function listDue({ organization, device, json }: DeadlineOptions & { device?: string }): Promise<void> {
  const query = { organization, device };
  const { due } = await callApi(credentialsFromEnvironment(), 'GET /deadlines/due', { query });
  if (json === true) return printJson(due);
  const rows = due.map((one) => ({
    by: shortTime(one.by),
    frame: shortName(one.deviceName),
    name: shortName(one.name),
    state: one.state,
    proven: shortTime(one.provenAt),
    reason: one.cause,
  }));
  printTable(rows, ['by', 'frame', 'name', 'state', 'proven', 'reason']);
}
