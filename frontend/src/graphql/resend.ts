// A command whose answer is lost is sent once more when the connection is back, unless the user does something
// meanwhile: what they changed or cancelled is never sent without them. The command has an idempotency key, so
// it has one effect.
import { useEffect, useRef } from 'react';
import type { CombinedError } from 'urql';
import { whenConnected } from './connection';

/** What says that the user does something other than wait. */
const actions = ['input', 'change', 'keydown', 'click'] as const;

interface Wait {
  /** True when the connection is back, false if the user did something first or the wait was cancelled. */
  ended: Promise<boolean>;
  cancel: () => void;
}

function waitForConnection(): Wait {
  let end = (_: boolean) => {};
  const ended = new Promise<boolean>((settle) => {
    const cancel = () => end(false);
    const stop = whenConnected(() => end(true));
    for (const action of actions) document.addEventListener(action, cancel, true);
    end = (back) => {
      stop();
      for (const action of actions) document.removeEventListener(action, cancel, true);
      settle(back);
    };
  });
  return { ended, cancel: () => end(false) };
}

/** Whether the answer of a command was lost, so that its effect is unknown. */
export const isLost = (error: CombinedError | null | undefined): boolean =>
  error?.networkError !== undefined;

/** Sends the command, and once more if its answer was lost. */
export async function sendThroughLoss<Answer extends { error?: CombinedError | undefined }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await send();
  if (!isLost(answer.error)) return answer;
  return (await waitForConnection().ended) ? send() : answer;
}

/**
 * Runs an attempt to send a command, which shows its outcome and returns whether its answer was lost; if so, once
 * more. The wait between them ends with the component and with the next command.
 */
export function useResend(): (attempt: () => Promise<boolean>) => Promise<void> {
  const wait = useRef<Wait | null>(null);
  useEffect(() => () => wait.current?.cancel(), []);
  return async (attempt) => {
    wait.current?.cancel();
    if (!(await attempt())) return;
    wait.current = waitForConnection();
    if (await wait.current.ended) await attempt();
  };
}
