// A page whose code and texts are loaded on its first visit, or when a link to it is about to be
// followed.
import { lazyRouteComponent } from '@tanstack/react-router';
import type { textsOfPages } from '../i18n/page-texts';
import { loadWithTexts } from './load-with-texts';

/** The component of the name, loaded together with its texts: it never renders without them. */
export function lazyPage<
  TModule extends Record<string, unknown>,
  TName extends keyof TModule & keyof typeof textsOfPages,
>(load: () => Promise<TModule>, name: TName) {
  return lazyRouteComponent(() => loadWithTexts(load, name), name);
}
