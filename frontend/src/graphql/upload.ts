// Sends a mutation with a file by the GraphQL multipart request specification. It uses
// XMLHttpRequest, because fetch does not report upload progress.
import type { TypedDocumentNode } from '@urql/core';
import { print } from 'graphql';
import type { Failure } from '../lib/refusals';
import { sessionEnded } from '../lib/session';
import { beginRequest } from '../lib/trace';
import { byHash, hashOf } from './client';

/** The result of an upload. */
export type UploadAnswer<Data> = { data: Data } | { failure: Failure };

export interface UploadOptions {
  /** The path of the file among the variables, for example "input.file". */
  at: string;
  file: File;
  /** Several files instead: that at index i is at the path `at` + `.i`. */
  files?: readonly File[];
  /** Called with the share of the request that was sent, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Cancels the upload; the promise is rejected with the signal's reason. */
  signal: AbortSignal;
}

interface ResponseBody<Data> {
  data?: Data | null;
  errors?: {
    message: string;
    extensions?: { code?: string; remedy?: string; requestId?: string };
  }[];
}

/** Sends the command. Refusals are in the data's userErrors; all other errors are the failure. */
export function sendUpload<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  options: UploadOptions,
): Promise<UploadAnswer<Data>> {
  const form = new FormData();
  const hash = hashOf(document);
  const text = byHash && hash ? { documentId: hash } : { query: print(document) };
  form.append('operations', JSON.stringify({ ...text, variables }));
  const parts: [string, string, File][] = options.files
    ? options.files.map((file, i) => [`file${i}`, `variables.${options.at}.${i}`, file])
    : [['file', `variables.${options.at}`, options.file]];
  form.append('map', JSON.stringify(Object.fromEntries(parts.map(([name, at]) => [name, [at]]))));
  for (const [name, , file] of parts) form.append(name, file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const traced = beginRequest();
    const abort = () => request.abort();
    const done = (answer: UploadAnswer<Data>) => {
      options.signal.removeEventListener('abort', abort);
      resolve(answer);
    };
    if (options.signal.aborted) return reject(options.signal.reason);
    options.signal.addEventListener('abort', abort);
    request.open('POST', '/graphql');
    request.setRequestHeader('GraphQL-Preflight', '1');
    request.setRequestHeader('traceparent', traced.traceparent);
    request.setRequestHeader('Accept', 'application/graphql-response+json, application/json');
    request.responseType = 'text';
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) options.onProgress?.(event.loaded / event.total);
    };
    request.onabort = () => reject(options.signal.reason);
    request.onerror = () => done({ failure: { code: 'Network', message: '' } });
    request.onload = () => {
      traced.end(request.getResponseHeader('traceresponse'));
      done(answerOf<Data>(request));
    };
    request.send(form);
  });
}

function answerOf<Data>(request: XMLHttpRequest): UploadAnswer<Data> {
  const requestId = request.getResponseHeader('X-Request-Id') ?? undefined;
  if (request.status === 401) sessionEnded();
  try {
    const body = JSON.parse(request.responseText) as ResponseBody<Data>;
    const error = body.errors?.[0];
    if (error) {
      const { code = 'Internal', remedy } = error.extensions ?? {};
      return {
        failure: {
          code,
          message: error.message,
          remedy,
          requestId: error.extensions?.requestId ?? requestId,
        },
      };
    }
    if (body.data) return { data: body.data };
  } catch {
    // Not JSON: a proxy has answered.
  }
  return { failure: { code: 'Internal', message: '', requestId } };
}
