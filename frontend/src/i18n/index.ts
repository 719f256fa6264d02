// The messages of the pages, one file per feature and language; only the current language is
// loaded.
import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

const storageKey = 'countersign.language';

const load = {
  en: () => import('./en'),
  zh: () => import('./zh'),
} as const;

/** The stored choice, otherwise the browser's first supported language. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  const wanted = [chosen ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  return (
    languages.find(
      (language) =>
        wanted.find((tag) => (languages as readonly string[]).includes(tag)) === language,
    ) ?? 'en'
  );
}

/** Loads the messages of the language and activates it. */
export async function setLanguage(language: Language, remember = true): Promise<void> {
  const { messages: words } = await load[language]();
  i18n.addResourceBundle(language, 'translation', words, true, true);
  await i18n.changeLanguage(language);
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
  if (remember) localStorage.setItem(storageKey, language);
}

/** Initialises the messages before the first render. */
export async function startI18n(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    returnNull: false,
    react: { useSuspense: false },
  });
  await setLanguage(preferredLanguage(), false);
}

export { i18n };
