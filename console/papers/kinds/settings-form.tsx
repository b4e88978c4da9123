/** The settings of a paper: the fields of its kind, what all kinds have, and saving. */
import type { ComponentType } from 'preact';
import { ofKind, type PaperKind } from '../../ground/paper-kinds.ts';
import { hrefOf } from '../../ground/router.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { DifferencesBox } from '../draft/differences-box.tsx';
import { FitField } from '../draft/fit-field.tsx';
import { CommonFields, MetaField } from '../draft/meta-fields.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { AlbumFields } from './album-fields.tsx';
import { BoardFields } from './board-fields.tsx';
import { CalendarFields } from './calendar-fields.tsx';
import { PlaylistFields } from './playlist-fields.tsx';
import { RecipeFields } from './recipe-fields.tsx';
import { RemoteFields } from './remote-fields.tsx';
import { SlidesFields } from './slides-fields.tsx';
import { hasWrongSelector, WebsiteFields } from './website-fields.tsx';

/** The props of every form of a kind. */
export interface KindProps {
  readonly draft: PaperDraft;
}

const TextFields = ({ draft }: KindProps) => (
  <>
    <MetaField draft={draft} field="text" label={t('papers.text')} rows={6} hint={t('papers.textHint')} />
    <MetaField draft={draft} field="footer" label={t('papers.footer')} />
  </>
);

const PictureFields = ({ draft }: KindProps) => (
  <>
    <p>
      {t('papers.pictureHint')}{' '}
      <a href={hrefOf(draft.base.value.kind === 'image' ? `send?paper=${draft.base.value.id}` : 'send')}>
        {t('papers.sendPicture')}
      </a>
    </p>
    <FitField draft={draft} />
  </>
);

const AlbumSettings = ({ draft }: KindProps) => (
  <>
    <AlbumFields draft={draft} />
    <FitField draft={draft} />
  </>
);

const TestCardFields: ComponentType<KindProps> = () => <p class="note">{t('papers.testcardHint')}</p>;
const IntegrationFields: ComponentType<KindProps> = () => <p class="note">{t('papers.integrationHint')}</p>;

const kindFields: Readonly<Record<PaperKind, ComponentType<KindProps>>> = {
  text: TextFields,
  website: WebsiteFields,
  remote: RemoteFields,
  recipe: RecipeFields,
  board: BoardFields,
  calendar: CalendarFields,
  slides: SlidesFields,
  album: AlbumSettings,
  playlist: PlaylistFields,
  image: PictureFields,
  printer: PictureFields,
  testcard: TestCardFields,
  plugin: IntegrationFields,
};

const UnknownKind: ComponentType<KindProps> = () => <p class="note">{t('papers.unknownKind')}</p>;

/** Draws the fields of the paper's kind. */
export const KindFields = ({ draft }: KindProps) => {
  const Fields = ofKind(kindFields, draft.base.value.kind) ?? UnknownKind;
  return <Fields draft={draft} />;
};

/** Draws the form. What is typed stays until it is saved or dropped by the person. */
export const SettingsForm = ({ draft }: KindProps) => {
  const isEdited = Object.keys(draft.changes.value).length > 0;
  const save = (theirs?: ReadonlySet<string>): Promise<void> => saveDraft(draft, theirs);
  return (
    <Card id="paper-settings" title={t('papers.settings')}>
      <Form class="paper-form" noValidate submit={() => save()}>
        <KindFields draft={draft} />
        <CommonFields draft={draft} />
        {draft.differences.value === undefined ? (
          <div class="actions">
            <button
              type="submit"
              class="primary"
              disabled={!isEdited || draft.isSaving.value || hasWrongSelector(draft)}
            >
              {t('state.save')}
            </button>
            <button type="button" disabled={!isEdited} onClick={() => void act(draft.drop)}>
              {t('papers.drop')}
            </button>
            <span class="note" role="status">
              {isEdited ? t('papers.notSaved') : ''}
            </span>
          </div>
        ) : (
          <DifferencesBox draft={draft} differences={draft.differences.value} save={save} />
        )}
      </Form>
    </Card>
  );
};

async function saveDraft(draft: PaperDraft, theirs?: ReadonlySet<string>): Promise<void> {
  const before = draft.base.peek().meta;
  const touched = Object.keys(draft.changes.peek());
  let isSaved = false;
  await act(async () => {
    isSaved = await draft.save(theirs);
  });
  if (!isSaved) return;
  await act(
    async () => undefined,
    t('papers.saved'),
    async () => {
      for (const field of touched) draft.set(field, before[field]);
      await draft.save();
    },
  );
}
