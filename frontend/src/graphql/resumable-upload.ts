// Uploads a large file before its command by the tus protocol, which survives lost connections and
// server restarts. The command then refers to the upload by its id.
import type { Failure } from '../lib/refusals';
import { traceparent } from '../lib/trace';

/** Files above this size use a resumable upload. */
export const resumableThreshold = 8 << 20;
const chunkSize = 4 << 20;
const retryDelays = [0, 500, 1_000, 2_000, 4_000, 8_000];

export interface ResumableOptions {
  file: File;
  /** The address of an earlier attempt, to resume it. */
  resumeAt?: string | null;
  /** Called with the address as soon as it is known. */
  onAddress?: (url: string) => void;
  /** Called with the share that was sent, 0 to 1. */
  onProgress?: (share: number) => void;
  /**
   * Stops sending and rejects the promise with the signal's reason; the sent part stays on the
   * server.
   */
  signal: AbortSignal;
}

/** Uploads the file; returns the upload's id or the failure. */
export async function sendResumable(
  options: ResumableOptions,
): Promise<{ uploadId: string } | { failure: Failure }> {
  const { file, signal } = options;
  const tus = await import('tus-js-client');
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const upload: InstanceType<typeof tus.Upload> = new tus.Upload(file, {
      endpoint: '/uploads/',
      uploadUrl: options.resumeAt ?? null,
      chunkSize,
      retryDelays,
      metadata: { filename: file.name },
      headers: { traceparent: traceparent() },
      // Store nothing about the user's files in the browser.
      storeFingerprintForResuming: false,
      onProgress: (sent, total) => options.onProgress?.(sent / total),
      onUploadUrlAvailable: () => upload.url && options.onAddress?.(upload.url),
      onSuccess: () => resolve({ uploadId: upload.url?.split('/').at(-1) ?? '' }),
      onError: (error) => {
        const response = 'originalResponse' in error ? error.originalResponse : null;
        resolve({ failure: failureOfTus(response?.getStatus() ?? 0, response?.getBody() ?? '') });
      },
    });
    signal.addEventListener('abort', () => {
      void upload.abort();
      reject(signal.reason);
    });
    upload.start();
  });
}

/** Deletes a partial upload. If that fails, the server deletes it after a day. */
export async function discardUpload(url: string): Promise<void> {
  const tus = await import('tus-js-client');
  await tus.Upload.terminate(url, { retryDelays }).catch(() => undefined);
}

function failureOfTus(status: number, body: string): Failure {
  try {
    const { error } = JSON.parse(body) as { error?: Failure };
    if (error) return error;
  } catch {
    // Not the server's JSON: a proxy has answered.
  }
  if (status === 0) return { code: 'Network', message: '' };
  return {
    code:
      status === 401
        ? 'Unauthenticated'
        : status >= 500 || status === 423
          ? 'Unavailable'
          : 'Internal',
    message: '',
  };
}
