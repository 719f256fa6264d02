// What may be uploaded, as far as the browser can know it before the first byte is sent.

/** Limits that the server gives by GET /auth/options. */
export interface UploadLimits {
  maxBytes: number;
  mediaTypes: string[];
}

export type FileFault = 'EmptyFile' | 'FileTooLarge' | 'UnsupportedFile';

/** Why the server would refuse the file, or null. A type that the browser does not know is left to the server. */
export function faultOf(file: { size: number; type: string }, limits: UploadLimits): FileFault | null {
  if (file.size === 0) return 'EmptyFile';
  if (file.size > limits.maxBytes) return 'FileTooLarge';
  if (file.type !== '' && !limits.mediaTypes.includes(file.type)) return 'UnsupportedFile';
  return null;
}
