/** The demo's integration pages: what a provider would host. The render page follows the page protocol to the letter. */

/** The manifest, as saved with the paper. */
export const manifest = {
  name: 'Postcard',
  version: '1.0.0',
  settingsPage: './settings.html',
  renderPage: './render.html',
  requiredPermissions: ['paper:content:write', 'paper:delivery:read'],
  capabilities: { contentPush: { callbackPath: '/postcard/status' } },
};

/** The settings page: in this demo the grant is asked for by the story itself. */
export const settingsPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Postcard settings</title>
<p>Postcard has no settings. Send it a picture or a text.</p></html>`;

/**
 * Shows a picture with its caption, or a text alone, or that nothing came yet. Text is set literally, images are waited
 * for, and the page reports itself ready only when everything is laid out.
 */
export const demoRenderPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="paperless:epd-optimize" content="natural">
<title>Postcard</title>
<style>
  * { box-sizing: border-box; margin: 0 }
  html, body { width: 100vw; height: 100vh; overflow: hidden; background: #fff; color: #000 }
  body { font: 400 5vmin/1.35 "Liberation Serif", "DejaVu Serif", serif; display: flex; flex-direction: column }
  figure { flex: 1; min-height: 0; overflow: hidden }
  figure img { width: 100%; height: 100%; object-fit: cover; display: block }
  p.caption { padding: 2.4vmin 4vmin; border-top: 0.7vmin solid #f00; font-size: 5.4vmin; font-weight: 700 }
  main { margin: auto; padding: 8vmin; max-width: 90vw; text-align: center }
  main p { font-size: 9vmin; line-height: 1.25; font-weight: 700; white-space: pre-line }
  main hr { width: 22vmin; height: 1vmin; border: 0; background: #f00; margin: 5vmin auto 0 }
</style>
</head>
<body>
<div id="website-has-loading-element" hidden></div>
<script>
  const show = async ({ data: message }) => {
    if (message?.cmd !== 'message' || message.type !== 'INIT') return;
    removeEventListener('message', show);
    const content = message.data.integrationContent;
    const add = (parent, name, text) => {
      const element = parent.appendChild(document.createElement(name));
      if (text) element.textContent = text;
      return element;
    };
    if (content?.imageUrl) {
      const image = add(add(document.body, 'figure'), 'img');
      image.src = content.imageUrl;
      try { await image.decode() } catch { document.documentElement.dataset.paperlessRenderStatus = 'error';
        document.documentElement.dataset.paperlessRenderError = 'The picture could not be loaded'; }
      if (content.text) add(document.body, 'p', content.text).className = 'caption';
    } else {
      const main = add(document.body, 'main');
      add(main, 'p', content ? content.text : 'Nothing has been sent yet');
      add(main, 'hr');
    }
    await document.fonts.ready;
    add(document.body, 'div').id = 'website-has-loaded';
  };
  addEventListener('message', show);
</script>
</body>
</html>`;
