/**
 * One browser process: started over a pipe, inside its sandbox, with nothing of our environment, and ended with
 * everything it started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Browser, CDPSession, default as puppeteer } from 'puppeteer';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { giveWay } from '../../runtime/give-way.ts';
import { limitTime, timedOut } from '../../runtime/limit-time.ts';
import { describeError } from '../../runtime/logger.ts';
import { defaultUserAgent } from '../outgoing/who-asks.ts';
import { type BrowserPipe, openBrowserPipe } from './browser-pipe.ts';
import { containDriver } from './contain-driver.ts';
import { isExecutable } from './find-browser.ts';
import type { HouseTls } from './house-tls.ts';
import type { OwnNetwork } from './own-network.ts';

/** The driver is loaded with the first browser: a service that draws no pages needs none of its two hundred files. */
const loadDriver = async (): Promise<typeof puppeteer> => (await import('puppeteer')).default;

/** User and group id of the browser when the service runs as root: nobody's, in no range that systems hand out. */
const browserUserId = 65_100;
const setpriv = '/usr/bin/setpriv';
const startTimeoutMs = 20_000;
const closeTimeoutMs = 3_000;
/** The length of the browser's complaint that is logged when it does not start. */
const maxComplaintLength = 2_000;
const profilePrefix = 'papergate-browser-';
/** A younger folder is left alone: another container may share the place, and number its processes by itself. */
const leftAloneMs = 86_400_000;

/** The flags of the browser: never `--no-sandbox`, never begin-frame control. */
const flags = [
  '--disable-frame-rate-limit',
  '--disable-gpu-vsync',
  '--hide-scrollbars',
  '--mute-audio',
  '--js-flags=--max-old-space-size=256',
  '--disable-features=DnsOverHttps,WebBluetooth,WebUSB',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Contexts bring a guard of their own; a request outside of one finds a closed port.
  '--proxy-server=http://127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  // Names are the guard's to resolve. Without this rule a page's `dns-prefetch` asks the name server past it.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--block-new-web-contents',
  '--no-pings',
  '--disable-quic',
];

/**
 * Flags that puppeteer adds, by itself or by an environment variable, and that strangers' pages must not have (R-16).
 */
const refusedFlags = new Set(['--no-sandbox', '--disable-popup-blocking', '--disable-ipc-flooding-protection']);

/**
 * A running browser and the session with the browser itself. `close` ends it politely, `kill` at once; both leave no
 * process behind.
 */
export interface BrowserProcess {
  readonly browser: Browser;
  readonly session: CDPSession;
  /** Its name and version, such as `HeadlessChrome/147.0.0.0`. */
  readonly version: string;
  /** The id of its main process, and of the group of everything it started. */
  readonly pid: number;
  /** The folder that holds everything it writes. */
  readonly profile: string;
  /** The network it is in; undefined for the service's own. */
  readonly network: OwnNetwork | undefined;
  /** Watches whether the pages of a browser context send too much; returns a function that ends the watch. */
  readonly watchTalk: BrowserPipe['watch'];
  /** The characters of files that the service handed to pages through it, so far. */
  readonly handed: { characters: number };
  kill(): void;
  close(): Promise<void>;
}

/** Removes the profiles that killed services left behind, a megabyte each. A profile's name identifies its owner. */
async function sweepProfiles(clock: Clock): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(profilePrefix) ? Number(name.slice(profilePrefix.length).split('-')[0]) : Number.NaN;
    if (Number.isNaN(owner) || isRunning(owner)) continue;
    const folder = path.join(tmpdir(), name);
    const isOld = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs < clock.now() - leftAloneMs,
      () => false,
    );
    if (isOld) await rm(folder, { recursive: true, force: true }).catch(() => {}); // Somebody else's.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Returns the command that starts the browser: as root through `setpriv`, as a user without rights. */
async function startCommand(executable: string, isRoot: boolean, browserFlags: string[]): Promise<[string, string[]]> {
  if (!isRoot) return [executable, browserFlags];
  if (!(await isExecutable(setpriv))) {
    throw refuse('unsafe-browser', {
      message: reasonOf('browser-keeps-rights', { program: setpriv }),
      hint: 'run the service as an ordinary user, or: apt install util-linux',
    });
  }
  const drop = [`--reuid=${browserUserId}`, `--regid=${browserUserId}`, '--clear-groups', '--no-new-privs', '--'];
  return [setpriv, [...drop, executable, ...browserFlags]];
}

/** The names by which a browser is known, and the ones it has to know. */
export interface BrowserNames {
  /** The name under which its pages ask; by its own, servers know it for one without a window, and some refuse it. */
  readonly userAgent?: string | undefined;
  /** The key under which the guard hands on hosts of the house. */
  readonly house?: HouseTls | undefined;
}

/**
 * Starts a browser.
 * @param executable what `findBrowser` found
 * @param network where it is to be, and which ends with it; without it the browser shares the service's network
 * @param under what its pages ask by, and the key under which the guard hands on hosts of the house
 * @throws Refusal `unsafe-browser` when it does not start inside its sandbox
 */
export async function launchBrowser(
  executable: string,
  clock: Clock,
  network?: OwnNetwork,
  under: BrowserNames = {},
): Promise<BrowserProcess> {
  const isRoot = process.getuid?.() === 0;
  await sweepProfiles(clock);
  const profile = await mkdtemp(path.join(tmpdir(), `${profilePrefix}${process.pid}-`));
  if (isRoot) await chown(profile, browserUserId, browserUserId);
  const headless = path.basename(executable).includes('headless-shell') ? 'shell' : true;
  const driver = await loadDriver();
  const { userAgent = defaultUserAgent, house } = under;
  const own = house === undefined ? [] : [`--ignore-certificate-errors-spki-list=${house.keyDigest}`];
  const args = [...flags, `--user-agent=${userAgent}`, ...own];
  const defaults = await driver.defaultArgs({ headless, userDataDir: profile, args });
  const browserFlags = defaults.filter((flag) => !refusedFlags.has(flag));
  try {
    const start = await startCommand(executable, isRoot, [...browserFlags, '--remote-debugging-pipe']);
    const [command, given] = network?.enter(...start) ?? start;
    const started = spawn(command, given, {
      env: { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      detached: true, // A process group of its own, which ends together.
    });
    giveWay(started.pid);
    return await ownProcess(started, profile, clock, network);
  } catch (error) {
    network?.close();
    await rm(profile, { recursive: true, force: true });
    if (error instanceof Error && error.name === 'Refusal') throw error;
    const [complaint = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw refuse('unsafe-browser', {
      message: reasonOf('browser-not-in-sandbox', { complaint }),
      hint: 'allow unprivileged user namespaces (in a container: its seccomp profile), or run outside of one',
    });
  }
}

async function ownProcess(
  child: ChildProcess,
  profile: string,
  clock: Clock,
  network: OwnNetwork | undefined,
): Promise<BrowserProcess> {
  // Every process of the browser holds its output pipes: they close when the last one has ended.
  const ended = once(child, 'close');
  ended.catch(() => {});
  // `ended` and the start hear the first error alone: a process to which nothing can be sent has others.
  child.on('error', () => {});
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // The whole group, renderers too.
    } catch {
      // Nobody of the group is left.
    }
  };
  process.once('exit', kill);
  const endContaining = containDriver(kill);
  ended
    .finally(() => {
      process.off('exit', kill);
      endContaining();
    })
    .catch(() => {});
  try {
    const { browser, pipe } = await connect(child, clock);
    const session = await browser.target().createCDPSession();
    const { product: version } = await session.send('Browser.getVersion');
    return {
      version,
      browser,
      session,
      network,
      profile,
      kill,
      pid: child.pid ?? 0,
      watchTalk: pipe.watch,
      handed: { characters: 0 },
      async close() {
        await limitTime(clock, closeTimeoutMs, browser.close()).catch(() => {});
        kill();
        network?.close();
        await limitTime(clock, closeTimeoutMs, ended);
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    kill();
    throw error;
  }
}

/** Connects puppeteer to a browser that starts. Its output is the reason when it does not. */
async function connect(child: ChildProcess, clock: Clock): Promise<{ browser: Browser; pipe: BrowserPipe }> {
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => {}); // It may fail before somebody waits for it.
  const [, , complaints, commands, events] = child.stdio as [null, null, Readable, Writable, Readable];
  let complaint = '';
  complaints.on('error', () => {});
  complaints.on('data', (chunk: Buffer) => {
    if (complaint.length < maxComplaintLength) complaint += chunk.toString('latin1');
  });
  const driver = await loadDriver();
  const pipe = openBrowserPipe(commands, events, clock, () => child.kill('SIGKILL'));
  const options = { transport: pipe, defaultViewport: null, protocolTimeout: 60_000, issuesEnabled: false };
  const connecting = Promise.race([driver.connect(options), failed]).catch((error: unknown) => {
    throw new Error(complaint.trim() || describeError(error));
  });
  const browser = await limitTime(clock, startTimeoutMs, connecting);
  if (browser === timedOut) throw new Error(`it did not answer in ${startTimeoutMs / 1000} s`);
  return { browser, pipe };
}
