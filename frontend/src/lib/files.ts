// Upload limits that the browser can check before sending.

import { makeStore } from './store';

/** The limits from GET /auth/options. */
export interface UploadLimits {
  maxBytes: number;
  mediaTypes: string[];
}

/** The limits; defaults until the server has sent its own. */
export const uploadLimits = makeStore<UploadLimits>({
  maxBytes: 50 << 20,
  mediaTypes: ['application/pdf', 'image/png', 'image/jpeg', 'image/tiff', 'application/xml'],
});

export type FileFault = 'EmptyFile' | 'FileTooLarge' | 'UnsupportedFile';

/**
 * Why the server would refuse the file, or null. A type unknown to the browser is left to the
 * server.
 */
export function faultOf(
  file: { size: number; type: string },
  limits: UploadLimits,
): FileFault | null {
  if (file.size === 0) return 'EmptyFile';
  if (file.size > limits.maxBytes) return 'FileTooLarge';
  const type = file.type === 'text/xml' ? 'application/xml' : file.type;
  if (type !== '' && !limits.mediaTypes.includes(type)) return 'UnsupportedFile';
  return null;
}
