/** The page at `/NAME/run`: an integration as a frame of the usual size shows it, with the settings that it begins with. */
import { escapeHtml } from '../../runtime/escape-html.ts';

/** Returns the page. It tells the render page what the service's browser would. */
export function runPage(slug: string, manifest: Readonly<Record<string, unknown>>): string {
  const { name, nativeSettings = {}, renderPage = './render.html' } = manifest;
  const title = escapeHtml(typeof name === 'string' ? name : slug);
  const page = escapeHtml(typeof renderPage === 'string' ? renderPage : './render.html');
  const payload = {
    settings: nativeSettings,
    nativeSettings,
    meta: { pluginSettings: nativeSettings, orientation: 'landscape' },
    app: { language: 'en' },
    device: {},
  };
  const message = JSON.stringify({ cmd: 'message', type: 'INIT', data: payload }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<style>
  body { margin: 2rem; font: 1rem/1.5 sans-serif }
  iframe { border: 1px solid; background: #fff }
</style>
<h1>${title}</h1>
<iframe src="${page}" width="800" height="480" title="${title}"></iframe>
<script>
  const message = ${message};
  const frame = document.querySelector('iframe');
  frame.addEventListener('load', () => frame.contentWindow.postMessage(message, location.origin));
</script>
`;
}
