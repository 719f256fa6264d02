const codes = new Set([
  'DamagedFile',
  'EncryptedFile',
  'EmptyFile',
  'UnsupportedFile',
  'FileTooComplex',
  'FileTooLarge',
]);

/** Whether the file itself is at fault, so that it has to be replaced and a retry fails again. */
export const isFileFault = (code: string): boolean => codes.has(code);
