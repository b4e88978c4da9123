// @ts-check
/**
 * The form for the settings that an integration describes in its manifest: an ES module for browsers. The page that
 * hosts the form serves the form library and hands it in.
 */
import { changesOf, settingsForm } from './form-schema.mjs';

/**
 * The part of the form library (`jedison`) that is used.
 * @typedef {object} ShownForm
 * @property {() => Record<string, unknown>} getValue
 * @property {() => unknown[]} getErrors
 * @property {(errors: unknown[]) => void} showValidationErrors
 * @property {(event: 'change', heard: () => void) => void} on
 * @property {HTMLElement} [hiddenInput]
 * @property {() => void} refreshFocus
 * @typedef {{ Create: new (options: object) => ShownForm, Theme: new () => object, EditorObject: any }} FormLibrary
 */

/**
 * Draws the form.
 * @param {object} deps
 * @param {HTMLElement} deps.container
 * @param {() => Promise<FormLibrary>} deps.loadLibrary
 * @param {Record<string, unknown>} deps.manifest
 * @param {Record<string, unknown>} deps.settings the paper's, with defaults for those it lacks
 * @param {() => void} deps.changed a person changed something
 * @returns the calls that a host makes on it; undefined when the manifest describes no field
 */
export async function showSettingsForm({ container, loadLibrary, manifest, settings, changed }) {
  const form = settingsForm(manifest, settings);
  if (Object.keys(form.schema.properties).length === 0) return undefined;
  const library = await loadLibrary();
  writeTextOnly(container.ownerDocument.defaultView);
  const shown = new library.Create({
    container,
    theme: new library.Theme(),
    schema: form.schema,
    data: form.values,
    // The library decodes a text before it sanitizes it, so that `&lt;` would become a tag.
    purifyHtml: false,
    // Errors are shown when somebody saves: if they came and went during typing, the field about to be clicked would
    // move.
    showErrors: 'never',
    btnIcons: false,
    objectAdd: false,
    customEditors: [steadyObject(library)],
  });
  // The hidden input repeats the values, passwords among them.
  shown.hiddenInput?.remove();
  // The fields stay in the page and so keep the focus by themselves.
  shown.refreshFocus = () => {};
  shown.on('change', changed);
  return {
    /**
     * Returns the person's changes of these settings; undefined when the form holds an error, which it then shows.
     * @param {Record<string, unknown>} stored
     */
    changes(stored) {
      const errors = shown.getErrors();
      shown.showValidationErrors(errors);
      return errors.length > 0 ? undefined : changesOf(form, shown.getValue(), stored);
    },
  };
}

/**
 * Keeps fields in the page once they are there. At every change the library takes all fields out and puts them back, so
 * that the click that ends typing in a field would find its target gone.
 * @param {FormLibrary} library
 */
function steadyObject({ EditorObject }) {
  return class extends EditorObject {
    refreshEditors() {
      if (this.control.childrenSlot.childElementCount === 0) super.refreshEditors();
    }
  };
}

/**
 * Makes the library's writes harmless: it writes texts of the manifest as HTML. On a page that demands trusted types
 * all of it becomes text (T-39); elsewhere the fields hold no tag to begin with.
 * @param {any} window
 */
function writeTextOnly(window) {
  const types = window?.trustedTypes;
  if (types === undefined || types.defaultPolicy !== null) return;
  types.createPolicy('default', { createHTML: (/** @type {string} */ html) => html.replaceAll('<', '&lt;') });
}
