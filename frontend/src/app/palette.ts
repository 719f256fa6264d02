// The command palette. Its code and texts are loaded when it is opened first.
import { loadTexts } from '../i18n';
import { textsOfPages } from '../i18n/page-texts';

export async function loadPalette() {
  const [code] = await Promise.all([
    import('../features/palette/Palette'),
    loadTexts(textsOfPages.Palette),
  ]);
  return code.Palette;
}
