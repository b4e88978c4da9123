/** The parts of the API's description that its page reads, and short descriptions of them. */

/** A schema, or a reference to one. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly contentMediaType?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: { readonly code: string; readonly message: string } }>>;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

/** One call. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

type Methods = Readonly<Record<string, Operation>>;

/** `openapi.json`. */
export interface Description {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Methods>>;
  readonly webhooks: Readonly<Record<string, Methods>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** A row of a table: a parameter, a field or an answer. */
export interface Row {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required?: boolean;
}

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';

function resolve({ components }: Description, schema: Schema = {}): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[nameIn(schema.$ref)] ?? {});
}

/** Describes a schema in a few words: `string`, `array of Device`, `one of a, b`. */
function typeOf(schema: Schema = {}): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`;
  if (schema.contentMediaType !== undefined) return 'file';
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const limits = limitsOf(schema);
  return limits.length === 0 ? type : `${type}, ${limits.join(' ')}`;
}

function limitsOf({ minimum, maximum, maxLength, pattern, format }: Schema): string[] {
  return [
    ...(minimum === undefined || minimum < -1e9 ? [] : [`from ${minimum}`]),
    ...(maximum === undefined || maximum > 1e9 ? [] : [`to ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === '^[0-9a-f]{24}$' ? ['id'] : []),
    ...(format === undefined ? [] : [format]),
  ];
}

/** Returns the rows of a schema's fields; fields of inner objects are named with dots. */
function fieldRows(api: Description, schema: Schema | undefined, before = '', depth = 0): Row[] {
  const known = resolve(api, schema);
  const inner = known.type === 'array' ? resolve(api, known.items) : known;
  return Object.entries(inner.properties ?? {}).flatMap(([name, field]) => {
    const row: Row = {
      name: before + name,
      type: typeOf(field),
      required: (inner.required ?? []).includes(name),
      description: field.description ?? '',
    };
    const isList = field.type === 'array' && resolve(api, field.items).properties !== undefined;
    const nested = depth < 3 ? fieldRows(api, field, `${before}${name}${isList ? '[]' : ''}.`, depth + 1) : [];
    return [row, ...nested];
  });
}

/** Returns the rows of an operation's answers: each refusal by its code. */
function answerRows(api: Description, { responses }: Operation): Row[] {
  return Object.entries(responses).flatMap(([status, given]): Row[] => {
    const answer = given.$ref === undefined ? given : (api.components.responses[nameIn(given.$ref)] ?? {});
    const content = answer.content?.['application/json'];
    const examples = Object.values(content?.examples ?? {});
    if (examples.length === 0) {
      const type = content === undefined ? '' : typeOf(content.schema);
      return [{ name: status, type, description: answer.description ?? '' }];
    }
    return examples.map(({ value }) => ({ name: status, type: value.code, description: value.message }));
  });
}

/** The fields that an operation takes or answers. */
interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Returns an operation's parameters, the forms that its body may have, what it answers, and its refusals. */
export function tablesOf(api: Description, operation: Operation): readonly Table[] {
  const parameters = operation.parameters.map(
    ({ name, schema, required = false, description = '' }): Row => ({
      name,
      type: typeOf(schema),
      required,
      description,
    }),
  );
  const [mediaType = '', body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const forms = body === undefined ? [] : (body.schema?.anyOf ?? [body.schema ?? {}]);
  const answer = Object.values(operation.responses)[0]?.content?.['application/json']?.schema;
  const tables: readonly Table[] = [
    { title: 'Parameters', rows: parameters },
    ...forms.map((form) => ({
      title: `Body, ${mediaType}${forms.length === 1 ? '' : `, ${typeOf(form)}`}`,
      rows: fieldRows(api, form),
    })),
    { title: `Answer, ${typeOf(answer)}`, rows: answer === undefined ? [] : fieldRows(api, answer) },
    { title: 'Answers', rows: answerRows(api, operation) },
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

/** An operation where it is called. */
export interface Call {
  readonly method: string;
  /** Undefined for what the service itself sends. */
  readonly path: string | undefined;
  /** The name of what the service sends. */
  readonly webhook: string | undefined;
  readonly operation: Operation;
}

/** Returns every operation, and what the service sends to integrations. */
export function callsOf({ paths, webhooks }: Description): readonly Call[] {
  const calls = (all: Readonly<Record<string, Methods>>, isSent: boolean): Call[] =>
    Object.entries(all).flatMap(([name, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: isSent ? undefined : name,
        webhook: isSent ? name : undefined,
        operation,
      })),
    );
  return [...calls(paths, false), ...calls(webhooks, true)];
}

/** Returns the whole text about a call, in lower case, for the search. */
export function wordsOf(api: Description, { method, path, webhook, operation }: Call): string {
  const rows = tablesOf(api, operation).flatMap((table) => [
    table.title,
    ...table.rows.flatMap(({ name, type, description }) => [name, type, description]),
  ]);
  const said = [method, path, webhook, operation.summary, operation.description, ...rows];
  return said
    .filter((part) => part !== undefined)
    .join(' ')
    .toLowerCase();
}
