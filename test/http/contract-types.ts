/** The calls of the API as types for clients and the console, from the OpenAPI document. */
import type { ApiDescription } from '../../api/http/description/describe-api.ts';
import type { Json } from '../../api/http/description/describe-schema.ts';

/** A schema, as far as types can express it. */
interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly contentMediaType?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** Whether a caller writes the value, and may leave a field out by `undefined`, or reads it. */
type Side = 'written' | 'read';

type Contents = Readonly<Record<string, { readonly schema?: Schema }>>;

const head = `/**
 * The calls of the API: what each takes and answers. Written by \`node --import tsx test/accept.ts api\` from the routes, by way of
 * \`docs/openapi.json\`; a call that is in no route, and a field that it does not have, do not compile.
 */
`;

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Returns the type of a schema, without line breaks. */
function typeOf(schema: Schema, side: Side): string {
  const { $ref, enum: values, anyOf, type = '', items } = schema;
  if ($ref !== undefined) return `Schemas['${$ref.slice($ref.lastIndexOf('/') + 1)}']`;
  if (schema.const !== undefined) return literal(schema.const);
  if (values !== undefined) return values.map(literal).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeOf(one, side)))].join(' | ');
  if (typeof type === 'object') return type.map((one) => typeOf({ ...schema, type: one }, side)).join(' | ');
  if (schema.contentMediaType !== undefined) return 'Blob';
  if (type === 'array') return listOf(typeOf(items ?? {}, side));
  if (type === 'object') return objectOf(schema, side);
  return simple[type] ?? 'unknown';
}

const listOf = (type: string): string => (/^[\w'[\]]+$/.test(type) ? `readonly ${type}[]` : `readonly (${type})[]`);

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value);

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, side: Side): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, side);
    const absent = side === 'written' && !isRequired && type !== 'unknown' ? ' | undefined' : '';
    return `${/^\w+$/.test(name) ? name : literal(name)}${isRequired ? '' : '?'}: ${type}${absent}`;
  });
  if (typeof additionalProperties === 'object') {
    const type = fields.length > 0 ? 'unknown' : typeOf(additionalProperties, side);
    fields.push(`[name: string]: ${type}`);
  }
  return fields.length === 0 ? 'Readonly<Record<never, never>>' : `{ ${fields.join('; ')} }`;
}

/** One operation: what it has of parameters and a body, and its answer. */
function callOf(operation: ApiDescription['paths'][string][string]): string {
  const parametersIn = (place: string): string | undefined => {
    const found = operation.parameters.filter((one) => one.in === place);
    if (found.length === 0) return undefined;
    const properties = Object.fromEntries(found.map(({ name, schema }) => [name, schema as Schema]));
    const required = found.filter((one) => one.required).map(({ name }) => name);
    return objectOf({ properties, required }, 'written');
  };
  const { content: given = {}, required = false } = (operation.requestBody ?? {}) as {
    content?: Contents;
    required?: boolean;
  };
  const [kind, { schema = {} } = {}] = Object.entries(given)[0] ?? [];
  const isForm = kind === 'multipart/form-data';
  const bodyType = kind === 'application/json' ? typeOf(schema, 'written') : 'Blob';
  const parts = {
    path: parametersIn('path'),
    query: parametersIn('query'),
    body: kind === undefined || isForm ? undefined : `${bodyType}${required ? '' : ' | undefined'}`,
    form: isForm ? typeOf(schema, 'written') : undefined,
    answer: answerOf(operation.responses as Json),
  };
  return Object.entries(parts)
    .flatMap(([name, type]) => (type === undefined ? [] : [`    ${name}: ${type};`]))
    .join('\n');
}

function answerOf(responses: Json): string {
  const types = Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status))
    .map(([, response]) => Object.values((response as { content?: Contents }).content ?? {})[0]?.schema)
    .map((schema) => (schema === undefined ? 'undefined' : typeOf(schema, 'read')));
  return types.join(' | ');
}

/** Returns the source of the types: schemas that several calls share, and the calls by method and path. */
export function contractTypes({ paths, components }: ApiDescription): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `  ${name}: ${typeOf(schema as Schema, 'read')};`,
  );
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `  '${method.toUpperCase()} ${path}': {\n${callOf(operation)}\n  };`,
    ),
  );
  return `${head}
/** The parts of what several calls take or answer, by the name that the API's description gives it. */
export interface Schemas {
${schemas.join('\n')}
}

/** Each call by its method and path. */
export interface Calls {
${calls.join('\n')}
}
`;
}
