/** Captures what a road asks, and finds in PostgreSQL's plans what reads or sorts a large table whole. */
import type { Database } from '../../runtime/database/database.ts';
import type { Road } from './hot-roads.ts';

/** A node of a plan, as `explain (format json)` returns it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows': number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly Plan: PlanNode;
  readonly 'Execution Time': number;
}

/** One query and its plan. */
export interface Judged {
  readonly sql: string;
  readonly ms: number;
  readonly read: number;
  readonly returned: number;
  /** The problems of the plan. */
  readonly problems: readonly string[];
}

interface Asked {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/**
 * Walks a road in a transaction that is rolled back, and explains every query of it.
 * @param large the rows from which on a table is large
 */
export async function judgeRoad(
  db: Database,
  road: Road,
  { now, large }: { now: number; large: number },
): Promise<Judged[]> {
  const asked: Asked[] = [];
  const listen = ({ sql, bindings }: Asked): void => void asked.push({ sql, bindings });
  const trx = await db.transaction();
  trx.on('query', listen);
  try {
    await road.go(trx, now);
  } finally {
    await trx.rollback();
  }
  const found: { relname: string }[] = (
    await db.raw(
      `select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace and reltuples >= ${large}`,
    )
  ).rows;
  const tables = new Set(found.map(({ relname }) => relname));
  const judged: Judged[] = [];
  const known = new Set<string>();
  for (const { sql, bindings } of asked) {
    if (known.has(sql) || !/^\s*(select|with|update|delete|insert)/i.test(sql)) continue;
    known.add(sql);
    judged.push(await explain(db, { sql, bindings }, tables, road.mayScan ?? {}));
  }
  return judged;
}

async function explain(
  db: Database,
  { sql, bindings }: Asked,
  large: ReadonlySet<string>,
  mayScan: Readonly<Record<string, string>>,
): Promise<Judged> {
  const trx = await db.transaction();
  try {
    const { client } = trx as unknown as { client: { acquireConnection(): Promise<Connection> } };
    const connection = await client.acquireConnection();
    const { rows } = await connection.query(`explain (analyze, buffers, format json) ${sql}`, [...bindings]);
    const [row] = rows;
    if (row === undefined) throw new Error('there is no plan');
    const [{ Plan: plan, 'Execution Time': ms }] = row['QUERY PLAN'] as [Explained];
    const problems = new Set<string>();
    const read = walk(plan, (node, under) => {
      const table = node['Relation Name'];
      if (node['Node Type'] === 'Seq Scan' && table !== undefined && large.has(table) && !(table in mayScan)) {
        problems.add(`reads all of ${table}`);
      }
      if (node['Node Type'] === 'Sort' && under >= sortedRows && Object.keys(mayScan).length === 0)
        problems.add(`sorts ${under} rows`);
    });
    return { sql, ms, read, returned: plan['Actual Rows'] ?? 0, problems: [...problems] };
  } finally {
    await trx.rollback();
  }
}

interface Connection {
  query(sql: string, values: unknown[]): Promise<{ rows: readonly { readonly 'QUERY PLAN': unknown }[] }>;
}

const sortedRows = 5_000;

/** Calls `see` for each node with the rows that came into it, and returns the rows that were read from tables. */
function walk(node: PlanNode, see: (node: PlanNode, under: number) => void): number {
  const loops = node['Actual Loops'] ?? 1;
  const own = ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * loops;
  const below = (node.Plans ?? []).map((child) => walk(child, see)).reduce((sum, rows) => sum + rows, 0);
  const under = (node.Plans ?? []).reduce(
    (sum, child) => sum + (child['Actual Rows'] ?? 0) * (child['Actual Loops'] ?? 1),
    0,
  );
  see(node, under);
  return below + (node['Relation Name'] === undefined ? 0 : own);
}
