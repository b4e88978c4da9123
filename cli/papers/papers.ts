/** `papergate papers`: the papers that frames show, over HTTP. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { drawsItself, isAlbum } from '../../api/papers/kinds.ts';
import type { Schemas } from '../../client/contract.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { callApi, credentialsFromEnvironment, pathSegment } from '../ground/client.ts';
import { printJson, printLine, printResult, printTable, printWarning, shortName, shortTime } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

/** The options of `papers create`, as commander gives them. */
export interface CreateCommand {
  device: string;
  organization: string;
  kind: string;
  title?: string;
  meta?: string;
  json?: boolean;
}

/** Lists the papers that the key may see, or those of one organization. */
export async function listPapers(options: { organization?: string; json?: boolean }): Promise<void> {
  const query = { organization: options.organization };
  const page = await callApi(credentialsFromEnvironment(), 'GET /papers/', { query });
  if (options.json === true) return printJson(page);
  const rows = page.results.map(({ id, title, kind, deviceId, imageUpdatedAt }) => ({
    id,
    title: shortName(title),
    kind,
    device: deviceId,
    picture: shortTime(imageUpdatedAt),
  }));
  printTable(rows, ['id', 'title', 'kind', 'device', 'picture']);
}

/** Shows one paper. */
export async function printOnePaper(id: string, options: { json?: boolean }): Promise<void> {
  const path = { paperId: pathSegment(id) };
  printPaper(await callApi(credentialsFromEnvironment(), 'GET /papers/{paperId}', { path }), options.json);
}

/**
 * Creates a paper for a device; the first one of a device is shown at once; for a further one, prints how to show it.
 */
export async function create(options: CreateCommand): Promise<void> {
  const { device, organization, kind, title } = options;
  const meta = { ...jsonObject('--meta', options.meta ?? '{}'), ...(title !== undefined && { title }) };
  const body = { deviceId: device, organization, kind, meta };
  const created = await callApi(credentialsFromEnvironment(), 'POST /papers/', { body });
  printPaper(created, options.json);
  if (created.hint !== undefined) printWarning(created.hint);
}

/** Uploads the picture of a paper, or one more to an album. */
export async function push(id: string, file: string, options: { force?: boolean; json?: boolean }): Promise<void> {
  const picture = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`${file} cannot be read (${error.code})`, 'name a GIF, JPEG, PNG or WebP file');
  });
  const credentials = credentialsFromEnvironment();
  const path = { paperId: pathSegment(id) };
  const before = await callApi(credentials, 'GET /papers/{paperId}', { path });
  const sent = new File([picture], basename(file));
  if (isAlbum(before.kind)) {
    const { remark } = await callApi(credentials, 'POST /papers/{paperId}/pictures/', {
      path,
      form: { picture: sent },
    });
    printPaper(await callApi(credentials, 'GET /papers/{paperId}', { path }), options.json);
    if (remark !== undefined && options.json !== true) printLine(remark);
    return;
  }
  // The service accepts a picture for a paper that draws itself and does nothing with it. A person should know (C-49).
  if (drawsItself(before.kind)) {
    throw refuse('conflict', {
      message: `A paper of kind ${before.kind} draws itself: the picture would not be used`,
      hint: 'push to a paper of kind image',
    });
  }
  const form = { picture: [sent], ...(options.force === true && { forceUpload: 'true' }) };
  const paper = await callApi(credentials, 'POST /papers/uploadSingleImage/{paperId}', { path, form });
  printPaper(paper, options.json);
  if (paper.remark !== undefined && options.json !== true) printLine(paper.remark);
  if (paper.skippedUpload && options.json !== true) {
    printLine('The frames have these very pixels already: nothing is sent to them. --force sends it again.');
  }
}

function printPaper(paper: Schemas['Paper'], json: boolean | undefined): void {
  if (json === true) {
    printJson(paper);
    return;
  }
  printResult({
    id: paper.id,
    title: paper.title,
    kind: paper.kind,
    author: paper.author,
    organization: paper.organization,
    device: paper.deviceId,
    created: shortTime(paper.createdAt),
    updated: shortTime(paper.updatedAt),
    picture: shortTime(paper.imageUpdatedAt),
  });
}

function jsonObject(option: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { ...value };
  } catch {
    // A text that is not JSON is not an object either.
  }
  throw new WrongUsage(`${option} is not a JSON object`, `for example ${option} '{"title":"Menu"}'`);
}
