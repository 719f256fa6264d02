// Whether the image of a page shows something at a place. The text of a file can have words that
// the page does not show, such as white ones; those are not taken from it.
import type { Area } from './words';

/** The least difference of brightness, of 255, between the lightest and the darkest point. */
const leastContrast = 48;
const longestSide = 400;

/** Whether the image, of a page of that width, has a visible contrast in the area. */
export function showsInk(image: HTMLImageElement, pageWidth: number, area: Area): boolean {
  if (!image.complete || image.naturalWidth === 0) return false;
  const share = image.naturalWidth / pageWidth;
  const width = Math.max(1, Math.min(longestSide, Math.round(area.w * share)));
  const height = Math.max(1, Math.min(longestSide, Math.round(area.h * share)));
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return false;
  context.drawImage(
    image,
    area.x * share,
    area.y * share,
    area.w * share,
    area.h * share,
    0,
    0,
    width,
    height,
  );
  const { data } = context.getImageData(0, 0, width, height);
  let [darkest, lightest] = [255, 0];
  for (let at = 0; at < data.length; at += 4) {
    const brightness =
      0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
    darkest = Math.min(darkest, brightness);
    lightest = Math.max(lightest, brightness);
  }
  return lightest - darkest >= leastContrast;
}
