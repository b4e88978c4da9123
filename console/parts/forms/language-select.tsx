/** The choice of the language, each under the name that its speakers use. */
import { chooseLanguage, language, languages, t } from '../../ground/words.ts';

/** Draws the choice with its label. */
export const LanguageSelect = ({ class: name }: { readonly class: string }) => (
  <label class={name}>
    <span>{t('account.language')}</span>
    <select value={language.value} onChange={(event) => void chooseLanguage(event.currentTarget.value)}>
      {Object.entries(languages).map(([code, label]) => (
        <option key={code} value={code}>
          {label}
        </option>
      ))}
    </select>
  </label>
);
