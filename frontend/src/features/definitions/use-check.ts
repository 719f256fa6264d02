// Checks a text while it is typed: a moment after the last key, and only the newest answer counts.
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { CheckDefinitionQuery } from '../../graphql/generated/graphql';
import { type Failure, failureOf } from '../../lib/refusals';
import { CheckDefinition } from './definitions.graphql';

/** What was found; the graph is the newest that there was, so that a drawing stays while a line is half written. */
export type Check = CheckDefinitionQuery['checkProcessDefinition'];

const pause = 350;

interface Checked {
  /** The text that the check is about. */
  text: string;
  check: Check | null;
  failure: Failure | null;
}

/** The newest check, and whether it is about this very text. */
export function useCheck(text: string): { check: Check | null; failure: Failure | null; current: boolean } {
  const client = useClient();
  const [checked, setChecked] = useState<Checked>({ text: '', check: null, failure: null });
  useEffect(() => {
    if (text.trim() === '') return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const variables = { document: text };
      const answer = await client.query(CheckDefinition, variables, { requestPolicy: 'network-only' }).toPromise();
      if (!wanted) return;
      const check = answer.data?.checkProcessDefinition ?? null;
      const failure = answer.error ? failureOf(answer.error) : null;
      setChecked((was) => ({
        text,
        check: check ? { ...check, graph: check.graph ?? was.check?.graph ?? null } : was.check,
        failure,
      }));
    }, pause);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [client, text]);
  return { check: checked.check, failure: checked.failure, current: checked.text === text };
}
