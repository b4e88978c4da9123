/** The C header: the tables of the protocol as constants that a firmware compiles in. */
import { fileBytes, rowBytes } from '../../firmware-protocol/framebuffer.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { refusalKey } from '../../firmware-protocol/messages.ts';
import { type Panel, panels } from '../../firmware-protocol/panels.ts';
import { wakeReasons } from '../../firmware-protocol/sleep.ts';
import { classicTopics, nativeTopic } from '../../firmware-protocol/topics.ts';
import { type DescribedField, fieldsOfMessage, messageRows } from './describe-messages.ts';

/** One `#define`: a number, a text, or bytes as the initializer of an array. */
export interface HeaderConstant {
  readonly name: string;
  readonly value: number | string | readonly number[];
  readonly comment: string;
}

/** Constants that belong together. */
export interface HeaderGroup {
  readonly title: string;
  readonly constants: readonly HeaderConstant[];
}

/** The meaning of each limit to a firmware; a new limit does not compile until it is explained. */
const limitComments: Readonly<Record<Exclude<keyof typeof limits, 'sleepSeconds'>, string>> = {
  packetBytes: 'length field of an MQTT packet to the gateway',
  nativeMessageBytes: 'one JSON message',
  classicPacketBytes: 'classic dialect: a whole MQTT packet to a frame',
  classicUrlCharacters: 'classic dialect: prefix and path together',
  frameIdCharacters: 'a serial',
  subscriptionsPerFrame: 'in the life of a connection',
  refusedFilters: 'refused filters after which a connection is ended',
  messagesPerMinute: 'more are acknowledged and dropped',
  packetsPerMinute: 'more are slowed down, twice as many end the connection',
  logCharacters: 'a log line',
  logsPerWake: 'more are acknowledged and dropped',
  keepaliveSeconds: 'a shorter keepalive is raised to it',
  sessionBytes: 'room for a TLS session that is kept over a sleep, see papergate-session.h',
  fileVersion: 'the largest picture version',
};

/** The description of each packing. */
export const packingComments: Readonly<Record<Panel['packing'], string>> = {
  nibble: 'two pixels a byte, the left one in the high four bits',
  pairs: 'four pixels a byte, the leftmost in the highest bits',
  bits: 'eight pixels a byte, the leftmost in the highest bit',
  planes: 'a plane of bits 0 of the codes, then one of bits 1, eight pixels a byte',
  halves: 'no header; the left half of all rows, then the right half, two pixels a byte as in nibble',
  bitmap: 'a BMP of four bits a pixel whose rows go from top to bottom',
  png: 'an indexed PNG with these codes as palette indices',
};

/** Every constant of the header, in order. */
export function headerGroups(): readonly HeaderGroup[] {
  return [
    {
      title: 'Topics of the native dialect: formats with the serial for %s',
      constants: messageRows.map(([name, { from }]) =>
        constant(['topic', name], nativeTopic('%s', name), `the ${from} says it`),
      ),
    },
    {
      title: 'Topics of the classic dialect',
      constants: Object.entries(classicTopics).map(([name, topic]) =>
        constant(
          ['classic', 'topic', name],
          topic('%s'),
          name === 'receive' ? 'the gateway says it' : 'the frame says it',
        ),
      ),
    },
    { title: 'Limits', constants: limitConstants() },
    ...messageRows.map(([name, { from }]) => ({
      title: `${name}, said by the ${from}: field names, limits, words`,
      constants: [
        ...fieldsOfMessage(name).flatMap((field) => fieldConstants(name, field)),
        ...(name === 'reply'
          ? [constant([name, 'data', refusalKey], refusalKey, 'in data, with ok false: what went wrong')]
          : []),
      ],
    })),
    {
      title: 'Wake reasons as the classic dialect counts them',
      constants: wakeReasons.map((reason, at) => constant(['classic', 'wake', reason], at, '')),
    },
    ...Object.values(panels).map(panelGroup),
  ];
}

/** The header's text. */
export function describeHeader(): string {
  const groups = headerGroups().map(({ title, constants }) =>
    [`/* ${title} */`, ...constants.map(defineLine)].join('\n'),
  );
  return `${[
    '/* Papergate frame protocol, version 1. Generated from the tables of firmware-protocol; docs/protocol.md explains it. */',
    '#ifndef PAPERGATE_H\n#define PAPERGATE_H',
    ...groups,
    '#endif',
  ].join('\n\n')}\n`;
}

function limitConstants(): HeaderConstant[] {
  const { shortest, longest } = limits.sleepSeconds;
  return [
    ...Object.entries(limitComments).map(([name, comment]) =>
      constant(['limit', name], limits[name as keyof typeof limitComments], comment),
    ),
    constant(['limit', 'sleepSeconds', 'min'], shortest, 'the shortest sleep a frame is told'),
    constant(['limit', 'sleepSeconds', 'max'], longest, 'the longest sleep a frame is told'),
  ];
}

function fieldConstants(message: string, field: DescribedField): HeaderConstant[] {
  const words = [message, ...field.path.split('.')];
  const [least, most] = field.range ?? [];
  return [
    constant(
      words,
      field.path.split('.').at(-1) ?? '',
      `${field.type.replaceAll('`', '')}${field.optional ? ', optional' : ''}`,
    ),
    ...(least === undefined || most === undefined
      ? []
      : [constant([...words, 'min'], least, ''), constant([...words, 'max'], most, '')]),
    ...(field.characters === undefined ? [] : [constant([...words, 'characters'], field.characters, '')]),
    ...field.words.map((word) => constant([...words, word], word, '')),
  ];
}

function panelGroup(panel: Panel): HeaderGroup {
  const { name, title, width, height, colours, packing } = panel;
  const of = (word: string, value: HeaderConstant['value'], comment = '') =>
    constant(['panel', name, word], value, comment);
  const isPng = packing === 'png';
  return {
    title: `${title}: the picture file`,
    constants: [
      of('name', name, 'hello names it so'),
      of('width', width, 'pixels of the stored raster'),
      of('height', height),
      of('packing', packing, packingComments[packing]),
      ...(isPng ? [] : [of('rowBytes', rowBytes(panel), packing === 'planes' ? 'of each plane' : '')]),
      of('fileBytes', fileBytes(panel), isPng ? 'at most' : packing === 'halves' ? 'pixels' : 'header and pixels'),
      ...(isPng
        ? []
        : [
            of('header', [width & 0xff, width >> 8, height & 0xff, height >> 8], 'initializer of the first four bytes'),
          ]),
      ...colours.map((colour) => of(`code_${colour.name}`, colour.code, colour.measured)),
      of('codeForForeign', colours[panel.foreignCodeDrawnAs]?.code ?? 0, 'codes that are none of these are drawn so'),
    ],
  };
}

function constant(words: readonly string[], value: HeaderConstant['value'], comment: string): HeaderConstant {
  const name = words.map((word) => word.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')).join('_');
  return { name: `PAPERGATE_${name.toUpperCase()}`, value, comment };
}

function defineLine({ name, value, comment }: HeaderConstant): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : typeof value === 'number'
        ? value < 0
          ? `(${value})`
          : `${value}`
        : `{ ${value.map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', ')} }`;
  return `#define ${name} ${text}${comment === '' ? '' : ` /* ${comment} */`}`;
}
