// A large file goes ahead of its command, in pieces that survive a cut line and a server that restarts. The command then
// names it by its id.
import type { Failure } from '../lib/refusals';

/** From here on a file goes in pieces. */
export const resumableThreshold = 8 << 20;
const chunkSize = 4 << 20;
const retryDelays = [0, 500, 1_000, 2_000, 4_000, 8_000];

export interface ResumableOptions {
  file: File;
  /** Where an earlier attempt got its address; the upload goes on from there. */
  resumeAt?: string | null;
  /** Told the address as soon as there is one. */
  onAddress?: (url: string) => void;
  /** Told how much was sent, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Stops sending; what was sent stays on the server. The promise is then rejected with its reason. */
  signal: AbortSignal;
}

/** Carries the bytes. */
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
      // Nothing of the person's files is kept in the browser.
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

/** Throws away what was sent to an address. What cannot be reached now goes by itself after a day. */
export async function discardUpload(url: string): Promise<void> {
  const tus = await import('tus-js-client');
  await tus.Upload.terminate(url, { retryDelays }).catch(() => undefined);
}

function failureOfTus(status: number, body: string): Failure {
  try {
    const { error } = JSON.parse(body) as { error?: Failure };
    if (error) return error;
  } catch {
    // Not ours: something between us and the server answered.
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
