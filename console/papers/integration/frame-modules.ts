/**
 * The modules with which every application hosts settings pages, as docs/integration-pages.md describes them. The service
 * answers them as they stand, to the console as to any other host.
 */
import { consoleBase } from '../../ground/base.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The part of `settings-host.mjs` that is used. */
interface HostModule {
  hostSettingsFrame(deps: {
    readonly window: Window;
    readonly frame: HTMLIFrameElement;
    readonly settingsUrl: string;
    readonly sourcePrefix: string;
    readonly payload: Fields;
    readonly redirect?: { readonly redirectUrl: string; readonly tempToken: string };
    readonly requestGrant: () => Promise<string>;
    readonly saveSettings: (patch: Fields) => void;
    readonly refused: (why: string) => void;
  }): { stop(): void };
}

/** The part of `read-frame-message.mjs` that is used. */
interface MessageModule {
  readPatch(
    value: unknown,
  ): { readonly kind: 'settings'; readonly patch: Fields } | { readonly kind: 'refused'; readonly why: string };
}

/** A form that is drawn of a manifest. */
export interface ManifestForm {
  /** The person's changes of these settings; undefined when the form holds an error, which it then shows. */
  changes(stored: Fields): Fields | undefined;
}

/** The part of `settings-form.mjs` that is used. */
interface FormModule {
  showSettingsForm(deps: {
    readonly container: HTMLElement;
    readonly loadLibrary: () => Promise<unknown>;
    readonly manifest: Fields;
    readonly settings: Fields;
    readonly changed: () => void;
  }): Promise<ManifestForm | undefined>;
}

const addressOf = (name: string): string => `${consoleBase}settings-frame/${name}.mjs`;

/** Loads the host's half of the protocol of settings pages. */
export const loadHost = (): Promise<HostModule> => import(addressOf('settings-host'));
/** Loads what reads messages of settings pages. */
export const loadMessages = (): Promise<MessageModule> => import(addressOf('read-frame-message'));
/** Loads the form. */
export const loadForm = (): Promise<FormModule> => import(addressOf('settings-form'));
/** Loads the library that the form is drawn with. */
export const loadFormLibrary = async (): Promise<unknown> => (await import(addressOf('jedison'))).default;
