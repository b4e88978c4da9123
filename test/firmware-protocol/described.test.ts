/**
 * Files that are generated from the wire's tables: the committed ones are current, a C compiler takes the header, vectors
 * cover every field.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileBytes, packPicture } from '../../firmware-protocol/framebuffer.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { epd7, epd13 } from '../../firmware-protocol/panels.ts';
import { wakeReasons } from '../../firmware-protocol/sleep.ts';
import { classicTopics, nativeTopic } from '../../firmware-protocol/topics.ts';
import { type HeaderConstant, headerGroups } from './describe-header.ts';
import { fieldsOfMessage, messageRows } from './describe-messages.ts';
import { protocolFiles, root } from './generated-files.ts';
import { native } from './read-vectors.ts';

const test = suite('described protocol');
const header = join(root, 'firmware-protocol/papergate.h');
const constants = headerGroups().flatMap((group) => group.constants);

for (const [path, content] of protocolFiles()) {
  test(`${path} says what the tables say`, () => {
    const same = readFileSync(join(root, path), 'utf8') === content;
    assert.ok(same, `${path} is not current; accept the change with: node --import tsx test/accept.ts protocol`);
  });
}

/** Runs the compiler on a source text, in strict C99. */
function compile(folder: string, source: string, ...more: string[]): void {
  const path = join(folder, 'main.c');
  writeFileSync(path, source);
  const flags = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-I', join(root, 'firmware-protocol')];
  const { status, stderr } = spawnSync('cc', [...flags, ...more, path], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
}

function withFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-header-'));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** C that prints one constant as a line of JSON. */
function printing({ name, value }: HeaderConstant): string {
  if (typeof value === 'string') return `printf("\\"%s\\"\\n", ${name});`;
  if (typeof value === 'number') return `printf("%lld\\n", (long long)${name});`;
  return `{ const unsigned char bytes[] = ${name}; printf("[%d,%d,%d,%d]\\n", bytes[0], bytes[1], bytes[2], bytes[3]); }`;
}

test('the header is valid C on its own, and twice', () => {
  withFolder((folder) => {
    compile(folder, '#include "papergate.h"\n#include "papergate.h"\nint main(void) { return 0; }\n', '-fsyntax-only');
  });
});

test('a C program reads every constant of the header as the value it has here', () => {
  withFolder((folder) => {
    const body = constants.map(printing).join('\n  ');
    const program = join(folder, 'print');
    compile(
      folder,
      `#include <stdio.h>\n#include "papergate.h"\nint main(void) {\n  ${body}\n  return 0;\n}\n`,
      '-o',
      program,
    );
    const { stdout, status } = spawnSync(program, { encoding: 'utf8' });
    assert.is(status, 0);
    const printed = stdout.trimEnd().split('\n');
    assert.is(printed.length, constants.length);
    const read = new Map(constants.map(({ name }, at) => [name, JSON.parse(printed[at] ?? 'null')]));
    for (const { name, value } of constants) assert.equal(read.get(name), value, name);
    const defined = readFileSync(header, 'utf8').match(/(?<=^#define )PAPERGATE_\w+(?= )/gm);
    assert.equal(defined, [...read.keys()]);
  });
});

test('the constants are those of the tables', () => {
  const values = new Map(constants.map(({ name, value }) => [name, value]));
  assert.is(values.size, constants.length, 'no name stands there twice');
  const expected: Readonly<Record<string, HeaderConstant['value']>> = {
    TOPIC_HELLO: nativeTopic('%s', 'hello'),
    TOPIC_DESIRED: nativeTopic('%s', 'desired'),
    CLASSIC_TOPIC_STATE: classicTopics.state('%s'),
    LIMIT_NATIVE_MESSAGE_BYTES: limits.nativeMessageBytes,
    LIMIT_CLASSIC_PACKET_BYTES: limits.classicPacketBytes,
    LIMIT_SLEEP_SECONDS_MIN: limits.sleepSeconds.shortest,
    HELLO_FILE_VERSION: 'fileVersion',
    HELLO_FILE_VERSION_MAX: limits.fileVersion,
    HELLO_RSSI_MIN: -150,
    HELLO_WAKE_TIMER: 'timer',
    DESIRED_SETTINGS: 'settings',
    DESIRED_PICTURE_URL_CHARACTERS: 300,
    REPORT_STAGE_SHOWN: 'shown',
    COMMAND_NAME_IDENTIFY: 'identify',
    LOG_LEVEL_WARN: 'warn',
    LOG_MESSAGE_CHARACTERS: limits.logCharacters,
    CLASSIC_WAKE_TIMER: wakeReasons.indexOf('timer'),
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(values.get(`PAPERGATE_${name}`), value, name);
  for (const panel of [epd7, epd13]) {
    const of = (word: string) => values.get(`PAPERGATE_PANEL_${panel.name.toUpperCase()}_${word}`);
    const file = packPicture(panel, 'landscape', new Uint8Array(panel.width * panel.height));
    assert.is(of('FILE_BYTES'), fileBytes(panel));
    assert.is(of('FILE_BYTES'), 4 + Number(of('ROW_BYTES')) * Number(of('HEIGHT')));
    assert.equal(of('HEADER'), [...file.subarray(0, 4)]);
    for (const { name, code } of panel.colours) assert.is(of(`CODE_${name.toUpperCase()}`), code);
  }
});

test('every field of every message has a meaning in words', () => {
  for (const [name] of messageRows) {
    assert.ok(fieldsOfMessage(name).length > 0, name);
    for (const { path, type, meaning } of fieldsOfMessage(name)) {
      assert.ok(meaning.length > 5, `${name}.${path}`);
      assert.not.match(type, /undefined|anything/, `${name}.${path}`);
    }
  }
});

/** Whether a decoded message has something at a path such as `picture.url`. */
function has(message: unknown, path: string): boolean {
  let at = message;
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}

test('every field of every message, nested ones too, has an accepted vector and one in which it is refused', () => {
  const lacking = messageRows.flatMap(([name]) => {
    const own = native.filter(({ message }) => message === name);
    return fieldsOfMessage(name).flatMap(({ path }) => {
      const accepted = own.some(({ decoded }) => decoded !== undefined && has(decoded, path));
      const refused = own.some(({ problem }) => problem?.startsWith(`${path}:`) || problem?.startsWith(`${path}.`));
      return [...(accepted ? [] : [`${name}.${path} accepted`]), ...(refused ? [] : [`${name}.${path} refused`])];
    });
  });
  assert.equal(lacking, []);
});

test.run();
