// Checks a text while it is typed: a moment after the last key, and only the newest answer counts.
import { useEffect, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import type { CheckDefinitionQuery, CheckRulesQuery } from '../../graphql/generated/graphql';
import { type Failure, failureOf } from '../../lib/refusals';
import { CheckDefinition } from './definitions.graphql';
import { CheckRules } from './rules.graphql';

/** What was found; the graph is the newest that there was, so that a drawing stays while a line is half written. */
export type Check = CheckDefinitionQuery['checkProcessDefinition'];
export type RulesCheck = CheckRulesQuery['checkRuleSet'];

const pause = 350;

export interface Checked<C> {
  /** The newest check; null before the first. */
  check: C | null;
  failure: Failure | null;
  /** The check is about this very text. */
  current: boolean;
}

/** Asks about the text; `before` is the check that is shown so far. */
type Ask<C> = (
  client: Client,
  text: string,
  before: C | null,
) => Promise<{ check: C | null; failure: Failure | null }>;

function useChecked<C>(text: string, ask: Ask<C>): Checked<C> {
  const client = useClient();
  const [known, setKnown] = useState<{ text: string; check: C | null; failure: Failure | null }>({
    text: '',
    check: null,
    failure: null,
  });
  const before = useRef<C | null>(null);
  useEffect(() => {
    before.current = known.check;
  });
  useEffect(() => {
    if (text.trim() === '') return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const { check, failure } = await ask(client, text, before.current);
      if (wanted) setKnown((was) => ({ text, check: check ?? was.check, failure }));
    }, pause);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [client, text, ask]);
  return { check: known.check, failure: known.failure, current: known.text === text };
}

const askProcess: Ask<Check> = async (client, document, before) => {
  const { data, error } = await client
    .query(CheckDefinition, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  const check = data?.checkProcessDefinition ?? null;
  return {
    check: check && { ...check, graph: check.graph ?? before?.graph ?? null },
    failure: error ? failureOf(error) : null,
  };
};

const askRules: Ask<RulesCheck> = async (client, document) => {
  const { data, error } = await client
    .query(CheckRules, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return { check: data?.checkRuleSet ?? null, failure: error ? failureOf(error) : null };
};

/** The check of a process's text. */
export const useCheck = (text: string) => useChecked(text, askProcess);

/** The check of a rule set's text. */
export const useRulesCheck = (text: string) => useChecked(text, askRules);
