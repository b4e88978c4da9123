/** Files that the browser saves. */

/** How long a browser is given to begin a download before its address ends. */
const graceMs = 10_000;

/** Has the browser save the file that an answer of the service is, under its name there. */
export async function saveAnswer(answer: Response): Promise<void> {
  const [, name = 'file'] = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
  saveFile(name, await answer.blob(), answer.headers.get('content-type') ?? undefined);
}

/** Has the browser save bytes under a name. */
export function saveFile(name: string, content: BlobPart, type = 'application/octet-stream'): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), graceMs);
}
