/**
 * The reference for people: the message table in words. The properties of a field that zod knows (type, limits, whether
 * it may be absent, meaning) are read from its JSON Schema, so that page, header and codec cannot differ.
 */
import { z } from 'zod';
import { clauses } from '../../firmware-protocol/clauses.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { type MessageName, type MessageRow, messages } from '../../firmware-protocol/messages.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';

/** One field of a message. `path` is its nested name, e.g. `picture.url`. */
export interface DescribedField {
  readonly path: string;
  /** The type in the words of the page's conventions, e.g. `text(32)` or `integer 0..20000`. */
  readonly type: string;
  readonly optional: boolean;
  readonly meaning: string;
  /** The range of a number. */
  readonly range: readonly [least: number, most: number] | undefined;
  /** The most characters of a text. */
  readonly characters: number | undefined;
  /** The values to which a field is limited; empty when it is not. */
  readonly words: readonly string[];
}

/** The part of JSON Schema that the table uses. */
interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly propertyNames?: Shape;
  readonly additionalProperties?: Shape | boolean;
}

/** Every message, in the table's order. */
export const messageRows = Object.entries(messages) as readonly (readonly [MessageName, MessageRow])[];

/** The fields of a message; nested ones follow the field that contains them. */
export function fieldsOfMessage(name: MessageName): readonly DescribedField[] {
  return fieldsBelow('', z.toJSONSchema(messages[name].schema) as Shape);
}

function fieldsBelow(prefix: string, shape: Shape): DescribedField[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, field]) => {
    const optional = shape.required?.includes(name) !== true;
    const { minimum, maximum } = field;
    const described: DescribedField = {
      path: prefix + name,
      type: typeInWords(field),
      optional,
      meaning: field.description ?? '',
      range: minimum === undefined || maximum === undefined ? undefined : [minimum, maximum],
      characters: field.maxLength,
      words: field.enum ?? [],
    };
    return [described, ...fieldsBelow(`${prefix}${name}.`, field)];
  });
}

function typeInWords(shape: Shape): string {
  const { type, minimum, maximum } = shape;
  if (shape.enum !== undefined) return inWords(shape.enum.map((word) => `\`"${word}"\``));
  if (shape.anyOf !== undefined) return inWords(shape.anyOf.map(typeInWords));
  if (type === 'string' && shape.pattern !== undefined) return 'digest';
  if (type === 'string') return `text(${shape.maxLength})${shape.minLength === undefined ? '' : ', not empty'}`;
  if (type === 'integer') {
    return minimum === 0 && maximum === limits.fileVersion ? 'version' : `integer ${minimum}..${maximum}`;
  }
  if (typeof shape.additionalProperties === 'object') {
    const keys = typeInWords(shape.propertyNames ?? {});
    return `object, keys ${keys}, values ${typeInWords(shape.additionalProperties)}`;
  }
  return type ?? 'anything';
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/**
 * The generated section of the page, without its markers.
 * @param example one message of a kind as JSON, to be shown under its fields
 */
export function describeMessages(example: (name: MessageName) => string): string {
  const topics = messageRows.map(
    ([name, { from, why }]) => `| \`${nativeTopic('<serial>', name)}\` | ${from} | ${why} |`,
  );
  const sections = messageRows.map(([name, { from }]) =>
    [
      `### ${name}`,
      `Said by the ${from}.`,
      ['| Field | Type | Meaning |', '|---|---|---|', ...fieldsOfMessage(name).map(fieldRow)].join('\n'),
      `\`\`\`json\n${example(name)}\n\`\`\``,
    ].join('\n\n'),
  );
  return [['| Topic | Who speaks | Why it exists |', '|---|---|---|', ...topics].join('\n'), ...sections].join('\n\n');
}

function fieldRow({ path, type, optional, meaning }: DescribedField): string {
  return `| \`${path}\` | ${type}${optional ? ', optional' : ''} | ${meaning} |`;
}

/** The generated list of clauses, without its markers. */
export function describeClauses(): string {
  const rows = Object.entries(clauses).map(([id, sentence]) => `| \`${id}\` | ${sentence} |`);
  return ['| Clause | Says |', '|---|---|', ...rows].join('\n');
}
