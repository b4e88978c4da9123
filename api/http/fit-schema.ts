/** Reads a value from outside by a schema. */
import type { z } from 'zod';
import { type RefusalCode, refuse } from '../../runtime/refusals.ts';

/** Returns the value as the schema reads it, or throws a refusal that names the fields and never their values. */
export function fit<Fitting>(schema: z.ZodType<Fitting>, value: unknown, code: RefusalCode): Fitting {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap(describeIssue).slice(0, 3);
  throw refuse(code, { hint: problems.join('; ') });
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${shortened([...path, key].join('.'))}: no such field`);
  }
  return [path.length === 0 ? issue.message : `${shortened(path.join('.'))}: ${issue.message}`];
}

/** Field names come from outside, too, and may be of any length. */
export function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
