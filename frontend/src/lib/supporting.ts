// Supporting documents: which a process asks for, and which the user has chosen.
import { attributeLabel } from './attributes';
import type { Failure } from './refusals';

interface Labelled {
  kind: string;
  labels: readonly { name: string; value: string }[];
}

/** A kind of supporting documents as the process declares it. */
export interface DeclaredDocument extends Labelled {
  required: boolean;
  max: number;
}

/** A supporting document of a case. */
export interface SupportingFile extends Labelled {
  number: number;
  /** No later one replaces it. */
  current: boolean;
  fileName: string;
  mediaType: string;
  size: string;
  sha256: string;
  path: string;
}

/** What was read of a supporting document. */
export interface SupportingReading {
  number: number;
  read: boolean;
  pages: readonly { number: number; width: number; height: number; path: string }[];
}

/** The document whose pages are shown, by its number, and what was read of all. */
export interface SupportingViewer {
  shown: number | null;
  /** Null while loading. */
  readings: readonly SupportingReading[] | null;
  failure: Failure | null;
  show: (number: number) => void;
  close: () => void;
  retry: () => void;
}

/** A file that the user has chosen. */
export interface ChosenDocument {
  kind: string;
  file: File;
  /** The number of the document that it replaces. */
  replaces: number | null;
}

export const documentLabel = ({ kind, labels }: Labelled, language: string): string =>
  attributeLabel(labels, language, kind);

/** The first kind that is required and that neither the case nor the choice has. */
export const missingDocument = (
  declared: readonly DeclaredDocument[],
  chosen: readonly Pick<ChosenDocument, 'kind'>[],
  stored: readonly Pick<SupportingFile, 'kind' | 'current'>[] = [],
): DeclaredDocument | undefined =>
  declared.find(
    ({ kind, required }) =>
      required &&
      !chosen.some((one) => one.kind === kind) &&
      !stored.some((one) => one.kind === kind && one.current),
  );

/** How many further files of the kind the case can have. */
export const roomFor = (
  { kind, max }: Pick<DeclaredDocument, 'kind' | 'max'>,
  chosen: readonly Pick<ChosenDocument, 'kind' | 'replaces'>[],
  stored: readonly Pick<SupportingFile, 'kind' | 'current'>[] = [],
): number =>
  max -
  chosen.filter((one) => one.kind === kind && one.replaces === null).length -
  stored.filter((one) => one.kind === kind && one.current).length;

/** The supporting document that a failure is about: its message begins with the name of the file. */
export const failedDocument = <T extends Pick<SupportingFile, 'fileName' | 'current'>>(
  stored: readonly T[],
  message: string,
): T | undefined =>
  stored.find(({ fileName, current }) => current && message.startsWith(`${fileName}: `));
