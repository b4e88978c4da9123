/**
 * One browser process: started over a pipe, inside its sandbox, with nothing of ours in its environment, and ended with
 * everything it started.
 */
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type CDPSession } from 'puppeteer';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { isExecutable } from './find-browser.ts';
import { limitTime } from './limit-time.ts';
import type { OwnNetwork } from './own-network.ts';

/** User and group id of the browser when the service runs as root: nobody's, in no range that systems hand out. */
const browserUserId = 65_100;
const setpriv = '/usr/bin/setpriv';
const closeTimeoutMs = 3_000;
const profilePrefix = 'papergate-browser-';
/** Another container may share the folder, and number its processes by itself. */
const leftAloneMs = 86_400_000;

/** and T-07. Never `--no-sandbox`, never begin-frame control. */
const flags = [
  '--disable-frame-rate-limit',
  '--disable-gpu-vsync',
  '--hide-scrollbars',
  '--mute-audio',
  '--font-render-hinting=none',
  '--js-flags=--max-old-space-size=256',
  '--disable-features=DnsOverHttps,WebBluetooth,WebUSB',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Contexts bring a guard of their own; whatever is asked outside of one finds a closed port.
  '--proxy-server=http://127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  // Names are the guard's to resolve. Without this rule a page's `dns-prefetch` asks the name server past it.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--block-new-web-contents',
  '--no-pings',
  '--disable-quic',
];

/** What puppeteer adds, or an environment variable makes it add, and strangers' pages must not have (R-10, R-16). */
const refusedFlags = new Set(['--no-sandbox', '--disable-popup-blocking', '--disable-ipc-flooding-protection']);

/**
 * A running browser and the session with the browser itself. `close` ends it politely, `kill` at once; both leave no
 * process behind.
 */
export interface BrowserProcess {
  readonly browser: Browser;
  readonly session: CDPSession;
  /** The network it is in; undefined for the service's own. */
  readonly network: OwnNetwork | undefined;
  kill(): void;
  close(): Promise<void>;
}

/** Removes what killed services left: a profile is a megabyte. Its name says whose it was. */
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
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** The command that starts the browser: as root through `setpriv`, as somebody without rights (R-10, T-11). */
async function startCommand(executable: string, isRoot: boolean, browserFlags: string[]): Promise<[string, string[]]> {
  if (!isRoot) return [executable, browserFlags];
  if (!(await isExecutable(setpriv))) {
    throw refuse('unsafe-browser', {
      message: `The service runs as root and ${setpriv} is missing, so the browser cannot be started without rights`,
      hint: 'run the service as an ordinary user, or: apt install util-linux',
    });
  }
  const drop = [`--reuid=${browserUserId}`, `--regid=${browserUserId}`, '--clear-groups', '--no-new-privs', '--'];
  return [setpriv, [...drop, executable, ...browserFlags]];
}

/**
 * Starts a browser.
 * @param executable what `findBrowser` found
 * @param network where it is to be, and which ends with it; left out, it shares the service's network
 * @throws Refusal `unsafe-browser` when it does not start inside its sandbox
 */
export async function launchBrowser(executable: string, clock: Clock, network?: OwnNetwork): Promise<BrowserProcess> {
  const isRoot = process.getuid?.() === 0;
  await sweepProfiles(clock);
  const profile = await mkdtemp(path.join(tmpdir(), `${profilePrefix}${process.pid}-`));
  if (isRoot) await chown(profile, browserUserId, browserUserId);
  const headless = path.basename(executable).includes('headless-shell') ? 'shell' : true;
  const defaults = await puppeteer.defaultArgs({ headless, userDataDir: profile, args: flags });
  const browserFlags = defaults.filter((flag) => !refusedFlags.has(flag));
  try {
    const start = await startCommand(executable, isRoot, [...browserFlags, '--remote-debugging-pipe']);
    const [command, args] = network?.enter(...start) ?? start;
    const browser = await puppeteer.launch({
      executablePath: command,
      args,
      ignoreDefaultArgs: true,
      pipe: true,
      env: { HOME: profile, TMPDIR: profile, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      defaultViewport: null,
      timeout: 20_000,
      protocolTimeout: 60_000,
    });
    return await ownProcess(browser, profile, clock, network);
  } catch (error) {
    network?.close();
    await rm(profile, { recursive: true, force: true });
    if (error instanceof Error && error.name === 'Refusal') throw error;
    const [said = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw refuse('unsafe-browser', {
      message: `The browser did not start inside its sandbox: ${said}`,
      hint: 'allow unprivileged user namespaces (in a container: its seccomp profile), or run outside of one',
    });
  }
}

async function ownProcess(
  browser: Browser,
  profile: string,
  clock: Clock,
  network: OwnNetwork | undefined,
): Promise<BrowserProcess> {
  const child = browser.process();
  if (child === null) throw new Error('a launched browser has a process');
  // Everything the browser started holds its output pipes: they close when the last of it has ended.
  const ended = once(child, 'close');
  ended.catch(() => {});
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // The whole group, renderers too.
    } catch {
      // Nobody of the group is left.
    }
  };
  const session = await browser.target().createCDPSession();
  return {
    browser,
    session,
    network,
    kill,
    async close() {
      await limitTime(clock, closeTimeoutMs, browser.close()).catch(() => {});
      kill();
      network?.close();
      await limitTime(clock, closeTimeoutMs, ended);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
