/** Reads a value from outside by a schema. */
import type { z } from 'zod';
import { type Because, type Reason, type ReasonCode, reasonCodes, reasonOf } from '../../reasons/reason.ts';
import { type RefusalCode, refuse } from '../../reasons/refusals.ts';
import type { fieldSentences } from '../../reasons/sentences/fields.ts';

type FieldCode = keyof typeof fieldSentences & ReasonCode;

/** The message of a check in a schema: the code of the field's problem. */
export const wrongField = (code: FieldCode): FieldCode => code;

/** The issue of a check in a schema whose words have parameters besides the field. */
export const wrongFieldIssue = (code: FieldCode, params: NonNullable<Reason['params']> = {}) =>
  ({ code: 'custom', message: code, params }) as const;

/** Returns the value as the schema reads it, or throws a refusal that names the fields and never their values. */
export function fit<Fitting>(schema: z.ZodType<Fitting>, value: unknown, code: RefusalCode): Fitting {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw refuse(code, { hint: result.error.issues.flatMap(reasonsOfIssue).slice(0, 3) });
}

function reasonsOfIssue(issue: z.core.$ZodIssue): Because[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => reasonOf('field-unknown', { field: shortened([...path, key].join('.')) }));
  }
  return [path.length === 0 ? issue.message : reasonOfIssue(issue, shortened(path.join('.')))];
}

/**
 * Returns the reason for an issue with a field; in the words of the schema library where this service has no code for
 * it.
 */
export function reasonOfIssue(issue: z.core.$ZodIssue, field: string): Because {
  if (isReasonCode(issue.message)) {
    const params = issue.code === 'custom' ? (issue.params as Reason['params']) : undefined;
    return { code: issue.message, params: { field, ...params } };
  }
  return (isOfLibrary(issue) ? knownReason(issue, field) : undefined) ?? `${field}: ${issue.message}`;
}

/** Asks if an issue has the message of the schema's library rather than one that a schema of ours gives. */
const isOfLibrary = ({ message }: z.core.$ZodIssue): boolean => /^(?:Invalid|Too big|Too small)\b/.test(message);

const isReasonCode = (text: string): text is ReasonCode => (reasonCodes as readonly string[]).includes(text);

function knownReason(issue: z.core.$ZodIssue, field: string): Reason | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return reasonOfType(issue, field);
    case 'invalid_value':
      if (issue.values.length === 1) return undefined;
      return reasonOf('field-other-option', { field, options: issue.values.map(asWritten).join('|') });
    case 'invalid_format':
      if (issue.format === 'email') return reasonOf('field-not-email', { field });
      if (issue.format === 'url') return reasonOf('field-not-url', { field });
      if (issue.format !== 'regex') return undefined;
      return reasonOf('field-unlike-pattern', { field, pattern: String(issue.pattern) });
    case 'invalid_union':
      return reasonOf('field-invalid', { field });
    case 'too_big':
      return reasonOfSize(sizes[issue.origin]?.big, issue, field, { most: Number(issue.maximum) });
    case 'too_small':
      return reasonOfSize(sizes[issue.origin]?.small, issue, field, { least: Number(issue.minimum) });
    default:
      return undefined;
  }
}

const asWritten = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value));

/** The library names the type that it received in its message alone. */
function reasonOfType({ expected, message }: z.core.$ZodIssueInvalidType, field: string): Reason | undefined {
  const received = /, received (\w+)$/.exec(message)?.[1];
  if (received === undefined) return undefined;
  if (received === 'undefined') return reasonOf('field-missing', { field, expected });
  return reasonOf('field-other-type', { field, expected, received });
}

const sizes: Readonly<Record<string, { readonly big?: FieldCode; readonly small?: FieldCode }>> = {
  string: { big: 'field-too-long', small: 'field-too-short' },
  number: { big: 'field-too-large', small: 'field-too-small' },
  array: { big: 'field-too-many' },
};

function reasonOfSize(
  code: FieldCode | undefined,
  { inclusive, exact }: { readonly inclusive?: boolean | undefined; readonly exact?: boolean | undefined },
  field: string,
  bound: NonNullable<Reason['params']>,
): Reason | undefined {
  if (code === undefined || inclusive !== true || exact === true) return undefined;
  return { code, params: { field, ...bound } };
}

/** Prefixes a field's problem with the path of its parent. */
export const withinField = (outer: string, reason: Reason): Reason => ({
  ...reason,
  params: { ...reason.params, field: `${outer}.${reason.params?.field}` },
});

/** Field names come from outside, too, and may be of any length. */
export function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
