// The addresses of files of a case, from the path of its document.

const documentPath = /^\/cases\/([^/]+)\/document/;

/** The id of a case in addresses of files, from the path of its document. */
export function fileCaseId(path: string | undefined): string | undefined {
  return documentPath.exec(path ?? '')?.[1];
}

/** The address of the result of a case; undefined without a document. */
export function resultAddress(path: string | undefined): string | undefined {
  const id = fileCaseId(path);
  return id && `/cases/${id}/result.json`;
}
