// The messages of the pages, one file per feature and language. Those of the first pages of the
// current language are loaded at the start, the others with the pages that use them.
import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
import { loaders, type PageTexts } from './page-texts';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

const storageKey = 'countersign.language';

const loadStart = {
  en: () => import('./start/en'),
  zh: () => import('./start/zh'),
} as const;

/** The files of texts of the pages that were visited. */
const visited = new Set<PageTexts>();

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

const bundle = 'translation';

const isMissing = (language: Language, file: PageTexts) =>
  i18n.getResource(language, bundle, file) === undefined;

/** Whether the language lacks texts of a visited page. */
const isIncomplete = (language: Language) => [...visited].some((file) => isMissing(language, file));

/** Loads the texts of the visited pages that the language lacks. */
async function complete(language: Language): Promise<void> {
  const missing = [...visited].filter((file) => isMissing(language, file));
  await Promise.all(
    missing.map(async (file) => {
      const { default: words } = await loaders[language][file]();
      i18n.addResourceBundle(language, bundle, { [file]: words }, true, true);
    }),
  );
}

/**
 * Loads the texts of a page in the current language. A switch of the language meanwhile waits for
 * them too, because the loops here and in setLanguage end with a check that nothing is missing.
 */
export async function loadTexts(files: readonly PageTexts[]): Promise<void> {
  for (const file of files) visited.add(file);
  while (isIncomplete(i18n.language as Language)) await complete(i18n.language as Language);
}

/** Loads the messages of the language and activates it. */
export async function setLanguage(language: Language, remember = true): Promise<void> {
  const { messages: words } = await loadStart[language]();
  i18n.addResourceBundle(language, bundle, words, true, true);
  while (isIncomplete(language)) await complete(language);
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
