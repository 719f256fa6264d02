// Checks a text while it is being typed, after a short delay; only the latest response counts.
import { useEffect, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import type {
  CheckDefinitionQuery,
  CheckDocumentTypeQuery,
  CheckRuleSetQuery,
} from '../../graphql/generated/graphql';
import { type Failure, failureOf } from '../../lib/refusals';
import { CheckDefinition } from './definitions.graphql';
import { CheckRuleSet } from './rules.graphql';
import { CheckDocumentType } from './types.graphql';

/**
 * The result of a check. Its graph is the latest valid one, so that the diagram stays while a line
 * is incomplete.
 */
export type Check = CheckDefinitionQuery['checkProcessDefinition'];
export type RulesCheck = CheckRuleSetQuery['checkRuleSet'];
export type TypeCheck = CheckDocumentTypeQuery['checkDocumentType'];

const checkDelay = 350;

export interface CheckState<C> {
  /** The latest check; null before the first. */
  check: C | null;
  failure: Failure | null;
  /** Whether the check is for the current text. */
  current: boolean;
}

/** Checks the text; `before` is the check shown so far. */
type RunCheck<C> = (
  client: Client,
  text: string,
  before: C | null,
) => Promise<{ check: C | null; failure: Failure | null }>;

function useDebouncedCheck<C>(text: string, run: RunCheck<C>): CheckState<C> {
  const client = useClient();
  const [latest, setLatest] = useState<{ text: string; check: C | null; failure: Failure | null }>({
    text: '',
    check: null,
    failure: null,
  });
  const lastCheck = useRef<C | null>(null);
  useEffect(() => {
    lastCheck.current = latest.check;
  });
  useEffect(() => {
    if (text.trim() === '') return;
    let active = true;
    const timer = setTimeout(async () => {
      const { check, failure } = await run(client, text, lastCheck.current);
      if (active) setLatest((previous) => ({ text, check: check ?? previous.check, failure }));
    }, checkDelay);
    return () => {
      active = false;
      clearTimeout(timer);
    };
  }, [client, text, run]);
  return { check: latest.check, failure: latest.failure, current: latest.text === text };
}

const checkProcess: RunCheck<Check> = async (client, document, before) => {
  const { data, error } = await client
    .query(CheckDefinition, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  const check = data?.checkProcessDefinition ?? null;
  return {
    check: check && { ...check, graph: check.graph ?? before?.graph ?? null },
    failure: error ? failureOf(error) : null,
  };
};

const checkRules: RunCheck<RulesCheck> = async (client, document) => {
  const { data, error } = await client
    .query(CheckRuleSet, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return { check: data?.checkRuleSet ?? null, failure: error ? failureOf(error) : null };
};

const checkType: RunCheck<TypeCheck> = async (client, document) => {
  const { data, error } = await client
    .query(CheckDocumentType, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return { check: data?.checkDocumentType ?? null, failure: error ? failureOf(error) : null };
};

/** Checks the text of a document type. */
export const useTypeCheck = (text: string) => useDebouncedCheck(text, checkType);

/** Checks the text of a process. */
export const useCheck = (text: string) => useDebouncedCheck(text, checkProcess);

/** Checks the text of a rule set. */
export const useRulesCheck = (text: string) => useDebouncedCheck(text, checkRules);
