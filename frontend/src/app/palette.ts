// The command palette. Its code and texts are loaded when it is opened first.
import { loadWithTexts } from './load-with-texts';

export async function loadPalette() {
  return (await loadWithTexts(() => import('../features/palette/Palette'), 'Palette')).Palette;
}
