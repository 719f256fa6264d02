// The supporting documents in the text of a process.
import { listOf, readDesign } from './design';

/** Whether a case of the process can have supporting documents. */
export function hasDocuments(text: string): boolean {
  const read = readDesign(text);
  return 'design' in read && listOf(read.design.header.documents).length > 0;
}

/** The document types that the process names, also those that are not published yet. */
export function acceptedTypes(text: string): string[] {
  const read = readDesign(text);
  return 'design' in read
    ? listOf(read.design.header.document_types).filter((type) => typeof type === 'string')
    : [];
}
