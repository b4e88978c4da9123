import { readdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import type { Ended } from './command-host.ts';
import { foundService, papergate, papergateAlone, papergateUnread, withCli, withScratchFolder } from './papergate.ts';

const test = suite('papergate command line');

const key = 'a1'.repeat(32);

/** A server on a free port of loopback, which is not the service. */
async function withServer(server: Server, use: (url: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const answering = (listener: RequestListener): Server => createServer({ keepAlive: false }, listener);

const listFrom = (url: string, ...more: string[]): Promise<Ended> =>
  papergate({ PAPERGATE_URL: url, PAPERGATE_API_KEY: key }, 'devices', 'list', ...more);

/** The commands below one, as its help lists them. */
function commandsIn(help: string): string[] {
  const section = help.split(/^Commands:\n/m)[1] ?? '';
  return [...section.matchAll(/^ {2}([a-z]+)/gm)].map((match) => match[1] ?? '').filter((name) => name !== 'help');
}

test('--help of every command ends with 0 and says how it is used', async () => {
  const seen: string[] = [];
  const visit = async (path: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await papergate({}, ...path, '--help');
    assert.equal([code, stderr], [0, ''], path.join(' '));
    assert.ok(stdout.startsWith(`Usage: ${['papergate', ...path].join(' ')}`), stdout);
    const below = commandsIn(stdout);
    if (below.length === 0) seen.push(path.join(' '));
    for (const name of below) await visit([...path, name]);
  };
  await visit([]);
  for (const command of [
    'serve',
    'setup',
    'token issue',
    'keys create',
    'frames provision',
    'simulate',
    'demo',
    'devices list',
    'devices show',
    'devices register',
    ...['ping', 'reboot', 'reset', 'events', 'logs', 'why'].map((name) => `devices ${name}`),
    'papers list',
    'papers show',
    'papers create',
    'papers push',
  ]) {
    assert.ok(seen.includes(command), command);
  }
});

longTest(test)(
  'a command says and ends the same in a process of its own as in the one that most tests here type into',
  async () => {
    const unreachable = { PAPERGATE_URL: 'http://127.0.0.1:9', PAPERGATE_API_KEY: key };
    const codes: (number | null)[] = [];
    for (const [env, ...args] of [
      [{}, '--help'],
      [{}, 'papers', 'push', '--help'],
      [{}, 'devices', 'list'],
      [{ PAPERGATE_API_KEY: key }, 'devices', 'nonsense'],
      [unreachable, 'devices', 'list'],
    ] as [Record<string, string>, ...string[]][]) {
      const alone = await papergateAlone(env, ...args);
      assert.equal(await papergate(env, ...args), alone, args.join(' '));
      codes.push(alone.code);
    }
    assert.equal(codes, [0, 0, 2, 2, 3]);
    await withCli(async ({ url, admin }) => {
      for (const apiKey of [key, admin.key]) {
        const env = { PAPERGATE_URL: url, PAPERGATE_API_KEY: apiKey };
        assert.equal(await papergate(env, 'papers', 'list'), await papergateAlone(env, 'papers', 'list'));
      }
    });
  },
);

test('unknown commands and options, and a command left out, end with 2 and say so on stderr', async () => {
  for (const args of [
    [],
    ['nonsense'],
    ['devices'],
    ['devices', 'nonsense'],
    ['papers', 'list', '--nonsense'],
    ['papers', 'list', 'too', 'many'],
    ['devices', 'show'],
    ['setup', '--organization', 'Home'],
  ]) {
    const { code, stdout, stderr } = await papergate({ PAPERGATE_API_KEY: key }, ...args);
    assert.equal([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /Usage: papergate/);
  }
});

test('a key that nobody has is refused with 1 in the words of the service, and is not quoted', async () => {
  await withCli(async ({ url }) => {
    const ended = await listFrom(url, '--json');
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.is(ended.stderr, '401 Authentication required\n  send x-api-key, or Authorization: Bearer with a JWT\n');
  });
});

test('T-12: a key or an address that cannot be used is wrong usage, and neither is quoted', async () => {
  const secret = 'hunter2';
  for (const [expected, env] of [
    [/^PAPERGATE_API_KEY is not set\n {2}.\/papergate setup prints a key/, {}],
    [/^PAPERGATE_API_KEY is not set\n/, { PAPERGATE_API_KEY: ' ' }],
    [/^PAPERGATE_API_KEY is not an API key\n/, { PAPERGATE_API_KEY: `${secret}\r\n${secret}` }],
    [/^PAPERGATE_API_KEY is not an API key\n/, { PAPERGATE_API_KEY: `${secret}é✓` }],
    [/^PAPERGATE_URL is not the/, { PAPERGATE_API_KEY: key, PAPERGATE_URL: `http://ada:${secret}@127.0.0.1:9` }],
    [/^PAPERGATE_URL is not the/, { PAPERGATE_API_KEY: key, PAPERGATE_URL: 'file:///etc/passwd' }],
    [/^PAPERGATE_URL is not the/, { PAPERGATE_API_KEY: key, PAPERGATE_URL: '127.0.0.1:3000' }],
    [/^PAPERGATE_URL is not the/, { PAPERGATE_API_KEY: key, PAPERGATE_URL: 'http://127.0.0.1:99999' }],
    [
      /^PAPERGATE_URL is the base.*\n {2}leave out/,
      { PAPERGATE_API_KEY: key, PAPERGATE_URL: 'http://127.0.0.1:9/v1/' },
    ],
  ] as [RegExp, Record<string, string>][]) {
    const ended = await papergate(env, 'devices', 'list');
    assert.equal([ended.code, ended.stdout], [2, '']);
    assert.match(ended.stderr, expected);
    assert.not.match(ended.stderr, secret);
  }
});

test('the line break that a file leaves at the end of a key, and a slash at the end of the address, do no harm', async () => {
  await withCli(async ({ url, admin }) => {
    const env = { PAPERGATE_URL: `${url}/`, PAPERGATE_API_KEY: `${admin.key}\n` };
    assert.equal(await papergate(env, 'devices', 'list', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
  });
});

test('a port where nobody listens ends with 3', async () => {
  let closed = '';
  await withServer(createPlainServer(), async (url) => {
    closed = url;
  });
  const ended = await listFrom(closed);
  assert.equal([ended.code, ended.stdout], [3, '']);
  assert.ok(
    ended.stderr.startsWith(
      `${closed} does not answer (ECONNREFUSED)\n  start it with ./papergate serve, or set PAPERGATE_URL`,
    ),
  );
});

test('a connection that is cut, at once or in the middle of an answer, ends with 3', async () => {
  const cut = createPlainServer((socket) => socket.once('data', () => socket.destroy()));
  const half = answering((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('[', () => response.destroy());
  });
  for (const server of [cut, half]) {
    await withServer(server, async (url) => {
      const ended = await listFrom(url);
      assert.equal([ended.code, ended.stdout], [3, '']);
      assert.match(ended.stderr, /^http:\S+ does not answer \([A-Z_]+\)\n {2}start it .*PAPERGATE_URL.*\n$/);
    });
  }
});

test('a server that is not a Papergate ends with 3 when it answers with a page, with 1 when it refuses', async () => {
  await withServer(
    answering((_request, response) => response.end('<html>')),
    async (url) => {
      const ended = await listFrom(url);
      assert.equal([ended.code, ended.stdout], [3, '']);
      assert.match(ended.stderr, /^http:\S+ is not a Papergate service/);
    },
  );
  for (const body of ['<html>', 'null', '{"message":7,"hint":{}}']) {
    await withServer(
      answering((_request, response) => response.writeHead(502).end(body)),
      async (url) => {
        assert.equal(await listFrom(url), { code: 1, stdout: '', stderr: '502 Bad Gateway\n' });
      },
    );
  }
});

test('a reader that leaves early is not a failure: nothing on stderr, and the exit code of the command', () =>
  withCli(async ({ url, admin }) => {
    const piped = async (apiKey: string) => {
      const env = { PAPERGATE_URL: url, PAPERGATE_API_KEY: apiKey };
      const { code, stderr } = await papergateUnread(env, 'devices', 'list');
      return [code, stderr] as const;
    };
    assert.equal(await piped(admin.key), [0, '']);
    const [code, said] = await piped(key);
    assert.is(code, 1);
    assert.match(said, /^401 Authentication required\n/);
  }));

test('what a server says cannot steer the terminal, and the request id that the log knows is printed', async () => {
  const said = { message: 'Internal\u001b[2Jerror', hint: 'see\nthe log', requestId: 'r-1' };
  await withServer(
    answering((_request, response) => response.writeHead(500).end(JSON.stringify(said))),
    async (url) => {
      const { code, stderr } = await listFrom(url);
      assert.equal([code, stderr], [1, '500 Internal [2Jerror (request r-1)\n  see the log\n']);
    },
  );
});

test('T-12: a redirect is not followed, so that the key goes to no other server', async () => {
  const heard: (string | string[] | undefined)[] = [];
  const other = answering((request, response) => {
    heard.push(request.headers['x-api-key']);
    response.end('[]');
  });
  await withServer(other, async (location) => {
    const here = answering((_request, response) => response.writeHead(302, { location }).end());
    await withServer(here, async (url) => {
      const ended = await listFrom(url);
      assert.equal(ended, { code: 1, stdout: '', stderr: '302 Found\n  PAPERGATE_URL leads elsewhere\n' });
    });
  });
  assert.equal(heard, []);
});

/** Commands that open the data folder themselves, in a folder of their own. */
async function withData(use: (run: (...args: string[]) => Promise<Ended>, folder: string) => Promise<void>) {
  await withScratchFolder((folder) =>
    use((...args) => papergate({ PAPERGATE_DATA: join(folder, 'data') }, ...args), folder),
  );
}

test('T-37: a serial that would lead out of the folder is refused with 1, and no credential is written', async () => {
  await withData(async (run, folder) => {
    const out = join(folder, 'inner', 'frames');
    for (const serial of ['../evil', '/evil', '..', 'a/b', '']) {
      const ended = await run('frames', 'provision', serial, '--out', out);
      assert.equal([ended.code, ended.stdout], [1, ''], serial);
      assert.match(ended.stderr, /is not the serial of a frame\n {2}letters, digits/);
    }
    assert.equal(await readdir(folder), []);
  });
});

test('setup with a bad e-mail address is refused with 1, and creates nothing', async () => {
  await withData(async (run, folder) => {
    for (const email of ['ada', 'ada@', 'ada@host', 'a b@example.org', '']) {
      const ended = await run('setup', '--organization', 'Home', '--email', email, '--name', 'Ada', '--json');
      assert.equal([ended.code, ended.stdout], [1, '']);
      assert.match(ended.stderr, /is not an email address\n {2}name@example\.org\n$/);
    }
    assert.equal(await readdir(folder), []);
  });
});

test('commands that work alongside a service refuse a folder that is not its data folder, and do not make it', async () => {
  await withData(async (run, folder) => {
    const ended = await run('frames', 'list');
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, /^PAPERGATE_DATA: \S+ is not a data folder of a service\n {2}correct it/);
    const nameless = await run('setup', '--organization', ' ', '--email', 'ada@example.org', '--name', 'Ada');
    assert.equal([nameless.code, nameless.stderr], [2, '--organization is empty\n  give it a name\n']);
    assert.equal(await readdir(folder), []);
  });
});

test('credentials have a folder before a frame is provisioned', async () => {
  await withData(async (run, folder) => {
    const out = '/proc/nope';
    const ended = await run('frames', 'provision', 'epd7-b0c1d2e3f405', '--out', out);
    assert.equal([ended.code, ended.stdout], [1, '']);
    assert.match(ended.stderr, /^--out: \/proc\/nope is not there, and cannot be made\n/);
    assert.is((await run('frames', 'list', '--json')).stdout, '[]\n');
    assert.equal(await readdir(folder), ['data']);
  });
});

test('a token or a key for a user that is not there is refused with 1, and none is printed', async () => {
  await withData(async (run, folder) => {
    await foundService(join(folder, 'data'));
    const user = '0'.repeat(24);
    for (const command of [
      ['token', 'issue'],
      ['keys', 'create'],
    ]) {
      const ended = await run(...command, '--user', user, '--json');
      assert.equal(ended, { code: 1, stdout: '', stderr: `No user ${user}\n  ./papergate setup prints one\n` });
    }
  });
});

test.run();
