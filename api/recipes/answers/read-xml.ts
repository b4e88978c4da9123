/** Reads XML into maps and lists, by the rules of Rails' `Hash.from_xml` (RC-20), which recipes are written for. */
import { XMLParser } from 'fast-xml-parser';

/** An element as the parser gives it: attributes, children, and its own text. */
type Element = Readonly<Record<string, unknown>>;

const [attribute, ownText] = ['@', '#text'];

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: attribute,
  textNodeName: ownText,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  alwaysCreateTextNode: true,
  htmlEntities: true,
});

/** A document that declares entities of its own is made to grow. */
const declaresEntities = /<!ENTITY/i;

/**
 * Reads a document.
 * @throws an error for what is not XML
 */
export function readXml(text: string): Readonly<Record<string, unknown>> {
  if (declaresEntities.test(text)) throw new Error('it declares entities');
  const read = elementValue(parser.parse(text, true) as Element);
  if (typeof read !== 'object' || read === null) throw new Error('it has no element');
  return read as Readonly<Record<string, unknown>>;
}

/** A `-` in a name becomes `_`; what declares name spaces is left out. */
function fieldsOf(element: Element): readonly (readonly [string, unknown])[] {
  return Object.entries(element)
    .filter(([name]) => name !== ownText && !/^@?xmlns\b/.test(name))
    .map(([name, value]) => [name.replace(attribute, '').replaceAll('-', '_'), value] as const);
}

const typed: Readonly<Record<string, (text: string) => unknown>> = {
  integer: Number.parseInt,
  float: Number.parseFloat,
  decimal: Number.parseFloat,
  boolean: (text) => text.trim() === 'true' || text.trim() === '1',
};

/** An element with text is the text, whatever else it has; an empty one is what it has, or nothing. */
function elementValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(elementValue);
  if (typeof value === 'string') return value;
  const element = value as Element;
  const text = String(element[ownText] ?? '');
  const type = String(element[`${attribute}type`] ?? '');
  const fields = fieldsOf(element);
  if (type === 'array') return fields.filter(([name]) => name !== 'type').flatMap(([, each]) => elementValue(each));
  if (text !== '') return typed[type]?.(text) ?? text;
  if (type === 'string') return '';
  if (fields.length === 0 || element[`${attribute}nil`] === 'true' || (type !== '' && fields.length === 1)) return null;
  return Object.fromEntries(fields.map(([name, each]) => [name, elementValue(each)]));
}
