/** A server of WebDAV in memory, with the habits of others to be switched on. */
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';

/** Habits of a server that others do not have. */
export interface DavHabits {
  /** The prefix of the name space; empty, it is the default one. */
  prefix: string;
  /** How an `href` is written: as a path, as a whole address, or as one of another host. */
  hrefs: 'path' | 'whole' | 'other-host' | 'bare';
  etags: boolean;
  /** An answer in place of every other one. */
  always: { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | undefined;
  login: { readonly user: string; readonly password: string } | undefined;
  /** Which end a list has. */
  end: 'whole' | 'cut' | 'silent';
  listsParent: boolean;
  ranges: boolean;
  /** The path of a cloud, whose files are numbered and whose folders have ETags of all below. */
  cloud: { readonly base: string; readonly product: string; readonly version: string } | undefined;
  previews: boolean;
}

export interface FakeDav {
  readonly habits: DavHabits;
  /** Content by the path as it is asked for, percent-encoded; folders follow from it. */
  readonly files: Map<string, Buffer>;
  readonly answer: (request: Received, response: ServerResponse) => void;
}

const modified = 'Sat, 04 Jan 2025 23:16:08 GMT';

/** Makes a server with files. Those of a path that ends with a slash are empty folders. */
export function fakeWebdav(paths: readonly string[], habits: Partial<DavHabits> = {}): FakeDav {
  const files = new Map(paths.map((path) => [path, Buffer.from(`picture ${path}`)]));
  const all: DavHabits = {
    prefix: 'd',
    hrefs: 'path',
    etags: true,
    always: undefined,
    login: undefined,
    end: 'whole',
    listsParent: false,
    ranges: true,
    cloud: undefined,
    previews: false,
    ...habits,
  };
  const dav = { files, habits: all };
  return { ...dav, answer: (request, response) => answerDav(dav, request, response) };
}

type Answering = Pick<FakeDav, 'files' | 'habits'>;

function answerDav(dav: Answering, request: Received, response: ServerResponse): void {
  const { always, login, cloud, previews } = dav.habits;
  const url = new URL(request.path, 'http://fake');
  if (cloud !== undefined && url.pathname === `${cloud.base}status.php`) {
    const { product, version } = cloud;
    response.writeHead(200).end(JSON.stringify({ productname: product, version, versionstring: version }));
    return;
  }
  if (always !== undefined) {
    response.writeHead(always.status, always.headers).end();
    return;
  }
  const basic = `Basic ${Buffer.from(`${login?.user}:${login?.password}`).toString('base64')}`;
  if (login !== undefined && request.headers.authorization !== basic) {
    response.writeHead(401).end();
    return;
  }
  if (/\/(?:core\/preview|publicpreview\/\w+)$/.test(url.pathname) && previews) {
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(`small ${url.search}`);
    return;
  }
  if (request.method === 'PROPFIND') answerList(dav, url.pathname, request, response);
  else answerFile(dav, url.pathname, request, response);
}

function answerFile({ files, habits }: Answering, path: string, request: Received, response: ServerResponse): void {
  const content = files.get(path);
  if (content === undefined) return void response.writeHead(404).end();
  const [, end] = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (end === undefined || !habits.ranges) return void response.writeHead(200).end(content);
  response.writeHead(206).end(content.subarray(0, Number(end) + 1));
}

function answerList(dav: Answering, asked: string, request: Received, response: ServerResponse): void {
  const { files, habits } = dav;
  const isFile = files.has(asked);
  const folder = asked.endsWith('/') ? asked : `${asked}/`;
  const below = [...files.keys()].filter((path) => path.startsWith(folder));
  if (!isFile && below.length === 0) return void response.writeHead(404).end();
  const children = new Set(below.map((path) => path.slice(folder.length).replace(/^([^/]*\/?).*$/s, '$1')));
  const paths = isFile
    ? [asked]
    : [folder, ...(habits.listsParent ? [`${folder}../`, folder.replace(/[^/]+\/$/, '')] : [])];
  if (!isFile && request.headers.depth === '1') {
    for (const child of children) if (child !== '') paths.push(folder + child);
  }
  const host = String(request.headers.host);
  response.writeHead(207, { 'content-type': 'application/xml', server: 'Fake/1', connection: 'close' });
  const p = habits.prefix === '' ? '' : `${habits.prefix}:`;
  const space = habits.prefix === '' ? 'xmlns' : `xmlns:${habits.prefix}`;
  response.write(`<?xml version="1.0"?>\n<${p}multistatus ${space}="DAV:" xmlns:oc="http://owncloud.org/ns">`);
  if (habits.end === 'silent') return void response.write('<');
  const elements = paths.map((path) => elementOf(dav, path, host));
  if (habits.end === 'cut') return void response.end(elements.join('').slice(0, -100));
  response.end(`${elements.join('\n')}</${p}multistatus>`);
}

function elementOf({ files, habits }: Answering, path: string, host: string): string {
  const p = habits.prefix === '' ? '' : `${habits.prefix}:`;
  const content = files.get(path);
  const isFolder = path.endsWith('/');
  const hrefs = {
    path: () => path,
    bare: () => decodeURI(path),
    whole: () => `http://${host}${path}`,
    'other-host': () => `http://nas.internal${path}`,
  };
  const below = [...files].filter(([key]) => key.startsWith(path));
  const etag = `"${below.length}-${below.reduce((sum, [key, bytes]) => sum + bytes.length + key.length, 0)}"`;
  const withEtag = habits.etags ? `<${p}getetag>${etag.replaceAll('"', '&quot;')}</${p}getetag>` : '';
  const number = habits.cloud === undefined ? '' : `<oc:fileid>${path.length}</oc:fileid>`;
  const type = isFolder ? `<${p}resourcetype><${p}collection/></${p}resourcetype>` : `<${p}resourcetype/>`;
  const length = isFolder ? '' : `<${p}getcontentlength>${content?.length}</${p}getcontentlength>`;
  return `<${p}response><${p}href>${hrefs[habits.hrefs]().replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${p}href>
<${p}propstat><${p}prop>${type}${length}${withEtag}${number}<${p}getlastmodified>${modified}</${p}getlastmodified></${p}prop>
<${p}status>HTTP/1.1 200 OK</${p}status></${p}propstat>
<${p}propstat><${p}prop><${p}getcontenttype/><${p}getetag/></${p}prop><${p}status>HTTP/1.1 404 Not Found</${p}status></${p}propstat>
<${p}responsedescription>a file</${p}responsedescription></${p}response>`;
}
