// Keys are checked by the compiler against the English words.
import 'i18next';
import type { words } from './en';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof words };
    returnNull: false;
  }
}
