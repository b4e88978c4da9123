/**
 * The texts that a person typed on this page and has not left, kept in this tab when the session ends: a sign-in link, the
 * identity provider and a reload load the page again, and anyone who comes back goes on where they were. Passwords are not
 * kept.
 */
import { effect } from '@preact/signals';
import { route } from './router.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** A field: how to find it again, and the text in it. */
export interface TypedField {
  /** Its label, and which of the fields with that label it is. */
  readonly label: string;
  readonly at: number;
  readonly value: string;
  /** Of a choice: whether it is made. */
  readonly isChosen: boolean | undefined;
}

/** The typed texts, by person and place. */
export interface TypedWords {
  readonly account: string;
  /** The path and the query of the page. */
  readonly place: string;
  readonly fields: readonly TypedField[];
}

const keptAs = 'papergate-typed';
const controls = 'input:not([type="password"], [type="file"], [role="combobox"]), textarea, select';
const touched = new Set<Control>();

effect(() => {
  if (route.value.length >= 0) touched.clear();
});

for (const kind of ['input', 'change'])
  addEventListener(
    kind,
    ({ target }) => {
      if (target instanceof HTMLElement && target.matches(`#content :is(${controls})`)) touched.add(target as Control);
    },
    true,
  );

const labelOf = (control: Control): string =>
  (control.getAttribute('aria-label') ?? control.labels?.[0]?.textContent ?? '').trim();

const isChoice = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(control.type);

/** The fields of the page by their labels. */
export function fieldsOfPage(): ReadonlyMap<string, readonly Control[]> {
  const found = new Map<string, Control[]>();
  for (const control of document.querySelectorAll<Control>(`#content :is(${controls})`))
    found.set(labelOf(control), [...(found.get(labelOf(control)) ?? []), control]);
  return found;
}

/** Keeps what was typed on this page until it is put back, or this tab is closed. */
export function keepTyped(account: string): void {
  const page = fieldsOfPage();
  const fields = [...touched]
    .filter((control) => control.isConnected)
    .map((control) => ({
      label: labelOf(control),
      at: page.get(labelOf(control))?.indexOf(control) ?? 0,
      value: control.value,
      isChosen: isChoice(control) ? control.checked : undefined,
    }));
  const words: TypedWords = { account, place: location.pathname + location.search, fields };
  sessionStorage.setItem(keptAs, JSON.stringify(words));
}

/** Returns the texts that were kept in this tab; undefined where nothing was. */
export function keptTyped(): TypedWords | undefined {
  const kept = sessionStorage.getItem(keptAs);
  return kept === null ? undefined : JSON.parse(kept);
}

/** Forgets what was kept: it stands on the page again, or belongs to somebody else. */
export const forgetTyped = (): void => sessionStorage.removeItem(keptAs);
