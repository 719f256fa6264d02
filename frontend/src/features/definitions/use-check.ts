// Checks a text while it is being typed, after a short delay; only the latest response counts.
import { type Question, useDebounced } from '../../graphql/debounced';
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

export interface CheckState<C> {
  /** The latest check; null before the first. */
  check: C | null;
  failure: Failure | null;
  /** Whether the check is for the current text. */
  current: boolean;
}

interface Checked<C> {
  check: C | null;
  failure: Failure | null;
}

function useDebouncedCheck<C>(text: string, question: Question<Checked<C>>): CheckState<C> {
  const latest = useDebounced(text, question);
  return {
    check: latest?.answer.check ?? null,
    failure: latest?.answer.failure ?? null,
    current: latest?.text === text,
  };
}

const checkProcess: Question<Checked<Check>> = async (client, document, before) => {
  const { data, error } = await client
    .query(CheckDefinition, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  const check = data?.checkProcessDefinition;
  return {
    check: check
      ? { ...check, graph: check.graph ?? before?.check?.graph ?? null }
      : (before?.check ?? null),
    failure: error ? failureOf(error) : null,
  };
};

const checkRules: Question<Checked<RulesCheck>> = async (client, document, before) => {
  const { data, error } = await client
    .query(CheckRuleSet, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return {
    check: data?.checkRuleSet ?? before?.check ?? null,
    failure: error ? failureOf(error) : null,
  };
};

const checkType: Question<Checked<TypeCheck>> = async (client, document, before) => {
  const { data, error } = await client
    .query(CheckDocumentType, { document }, { requestPolicy: 'network-only' })
    .toPromise();
  return {
    check: data?.checkDocumentType ?? before?.check ?? null,
    failure: error ? failureOf(error) : null,
  };
};

/** Checks the text of a document type. */
export const useTypeCheck = (text: string) => useDebouncedCheck(text, checkType);

/** Checks the text of a process. */
export const useCheck = (text: string) => useDebouncedCheck(text, checkProcess);

/** Checks the text of a rule set. */
export const useRulesCheck = (text: string) => useDebouncedCheck(text, checkRules);
