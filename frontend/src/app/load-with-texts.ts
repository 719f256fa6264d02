// Code that is loaded together with its texts, so that it never renders without them.
import { loadTexts } from '../i18n';
import { textsOfPages } from '../i18n/page-texts';
import { whenOnline } from '../lib/when-online';

/** Loads the code and the texts of the component of the name. */
export async function loadWithTexts<TModule>(
  load: () => Promise<TModule>,
  name: keyof typeof textsOfPages,
): Promise<TModule> {
  const [code] = await whenOnline(() => Promise.all([load(), loadTexts(textsOfPages[name])]));
  return code;
}
