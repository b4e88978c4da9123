/** The form of what an integration's manifest describes. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AnswerOf } from '../../ground/call-api.ts';
import type { Paper } from '../../ground/paper-book.ts';
import { asProblem } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/forms/field.tsx';
import { problemText } from '../../parts/states.tsx';
import { readPaper } from '../draft/paper-draft.ts';
import { loadForm, loadFormLibrary, type ManifestForm } from './frame-modules.ts';
import { type SettingsSaver, settingsOf } from './save-settings.ts';

/** The facts about a paper's integration that the service shows to anyone who changes its settings. */
export type IntegrationFound = AnswerOf<'GET /v1/integration-papers/papers/{paperId}/settings-page'>;

interface FieldsProps {
  readonly found: IntegrationFound;
  readonly paper: Paper;
  readonly saver: SettingsSaver;
}

const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Record<string, unknown>;

/** Draws the form into an element that nothing else writes to; `null` when the manifest describes no field. */
function useManifestForm({ found: { payload }, paper, saver }: FieldsProps) {
  const container = useRef<HTMLDivElement>(null);
  const form = useSignal<ManifestForm | null | undefined>(undefined);
  const draw = async (into: HTMLElement): Promise<void> => {
    const { showSettingsForm } = await loadForm();
    const shown = await showSettingsForm({
      container: into,
      loadLibrary: loadFormLibrary,
      manifest: fieldsIn(fieldsIn(payload.meta).pluginManifest),
      // A secret that is set stays a reference in the form, also with a settings page that gets it.
      settings: { ...fieldsIn(payload.settings), ...settingsOf(paper) },
      changed: () => {
        saver.state.value = 'edited';
      },
    });
    form.value = shown ?? null;
  };
  useEffect(() => {
    if (container.current === null) return;
    draw(container.current).catch((error: unknown) => {
      saver.problem.value = problemText(asProblem(error));
    });
  }, []);
  return { container, form };
}

/** The form of the described fields, and the paper's own option next to them. */
export const ManifestFields = (props: FieldsProps) => {
  const { paper, saver } = props;
  const { container, form } = useManifestForm(props);
  const inAddress = useSignal(paper.meta.settingsInAddress === true);
  const save = async (): Promise<void> => {
    try {
      const now = await readPaper(paper.id);
      const changes = form.value?.changes(settingsOf(now));
      if (form.value && changes === undefined) return;
      const isAsked = inAddress.value !== (now.meta.settingsInAddress === true);
      await saver.add(changes ?? {}, isAsked ? { settingsInAddress: inAddress.value } : {});
    } catch (error) {
      saver.problem.value = t('integration.notStored', { reason: problemText(asProblem(error)) });
    }
  };
  return (
    <Form id="settings" class="card" autocomplete="off" noValidate submit={save}>
      <div id="fields" ref={container} />
      {form.value === null && <p class="note">{t('integration.noFields')}</p>}
      <details>
        <summary>{t('integration.more')}</summary>
        <label class="check">
          <input
            id="in-address"
            type="checkbox"
            checked={inAddress}
            onChange={(event) => {
              inAddress.value = event.currentTarget.checked;
              saver.state.value = 'edited';
            }}
          />
          <span>{t('integration.inAddress')}</span>
        </label>
        <p class="note">{t('integration.inAddressHint')}</p>
      </details>
      <div class="actions">
        <button type="submit" class="primary" disabled={form.value === undefined}>
          {t('state.save')}
        </button>
        <span id="form-state" class="note" role="status">
          {stateText(saver)}
        </span>
      </div>
    </Form>
  );
};

/** How saving stands, in a word or two. */
export function stateText({ state }: SettingsSaver): string {
  if (state.value === undefined) return '';
  if (state.value === 'saving') return t('integration.saving');
  return t(
    state.value === 'saved' ? 'integration.saved' : state.value === 'edited' ? 'papers.notSaved' : 'integration.failed',
  );
}
