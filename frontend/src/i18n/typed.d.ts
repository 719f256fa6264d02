// The compiler checks message keys against the English messages.
import 'i18next';
import type { messages } from './en';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof messages };
    returnNull: false;
  }
}
