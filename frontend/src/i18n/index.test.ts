import { beforeAll, expect, it } from 'vitest';
import { messages as en } from './en';
import { i18n, loadTexts, setLanguage, startI18n } from './index';
import { loaders, textsOfPages } from './page-texts';
import { messages as enAtStart } from './start/en';
import { messages as zhAtStart } from './start/zh';
import { messages as zh } from './zh';

beforeAll(startI18n);

it('loads the texts of a page with it, and those of the visited pages with another language', async () => {
  expect(i18n.t('queue.next')).toBe(en.queue.next);
  expect(i18n.t('schedule.save')).toBe('schedule.save');
  await loadTexts(textsOfPages.QueuesPage);
  expect(i18n.t('schedule.save')).toBe(en.schedule.save);
  await setLanguage('zh');
  expect(i18n.t('schedule.save')).toBe(zh.schedule.save);
  await setLanguage('en');
});

it('has the texts of a page that opens while the language is switched', async () => {
  const shown = [loadTexts(textsOfPages.ManagePage), setLanguage('zh')].map((done) =>
    done.then(() => i18n.t('manage.intro')),
  );
  for (const text of await Promise.all(shown)) expect(text).not.toBe('manage.intro');
  expect(i18n.t('manage.intro')).toBe(zh.manage.intro);
});

it('loads each file of texts at the start or with a page, the same files in both languages', () => {
  const files = (words: object) => Object.keys(words).sort();
  expect(files(zhAtStart)).toEqual(files(enAtStart));
  expect(files({ ...enAtStart, ...loaders.en })).toEqual(files(en));
  expect(files({ ...zhAtStart, ...loaders.zh })).toEqual(files(zh));
  const ofPages = new Set<string>(Object.values(textsOfPages).flat());
  expect(files(loaders.en).filter((file) => !ofPages.has(file))).toEqual([]);
});
