// The commands on versioned definitions, the same for processes and rule sets.
import { useMemo } from 'react';
import { type Client, useClient } from 'urql';
import type {
  ProposeDefinitionInput,
  PublishProposalInput,
  RestoreDefinitionInput,
  WithdrawProposalInput,
} from '../../graphql/generated/graphql';
import { type Outcome, outcomeOf } from './commands';
import {
  ProposeDefinition,
  PublishDefinition,
  RestoreDefinition,
  WithdrawDefinition,
} from './definitions.graphql';
import { ProposeRuleSet, PublishRuleSet, RestoreRuleSet, WithdrawRuleSet } from './rules.graphql';

export type Kind = 'process' | 'rules';

export interface VersionCommands {
  /** On success the result has the key of the proposed definition. */
  propose: (input: ProposeDefinitionInput) => Promise<Outcome & { key: string | null }>;
  publish: (input: PublishProposalInput) => Promise<Outcome>;
  withdraw: (input: WithdrawProposalInput) => Promise<Outcome>;
  restore: (input: RestoreDefinitionInput) => Promise<Outcome>;
}

function processCommands(client: Client): VersionCommands {
  return {
    propose: async (input) => {
      const response = await client.mutation(ProposeDefinition, { input }).toPromise();
      return {
        ...outcomeOf(response),
        key: response.data?.proposeProcessDefinition.proposal?.key ?? null,
      };
    },
    publish: async (input) =>
      outcomeOf(await client.mutation(PublishDefinition, { input }).toPromise()),
    withdraw: async (input) =>
      outcomeOf(await client.mutation(WithdrawDefinition, { input }).toPromise()),
    restore: async (input) =>
      outcomeOf(await client.mutation(RestoreDefinition, { input }).toPromise()),
  };
}

function ruleSetCommands(client: Client): VersionCommands {
  return {
    propose: async (input) => {
      const response = await client.mutation(ProposeRuleSet, { input }).toPromise();
      return { ...outcomeOf(response), key: response.data?.proposeRuleSet.proposal?.key ?? null };
    },
    publish: async (input) =>
      outcomeOf(await client.mutation(PublishRuleSet, { input }).toPromise()),
    withdraw: async (input) =>
      outcomeOf(await client.mutation(WithdrawRuleSet, { input }).toPromise()),
    restore: async (input) =>
      outcomeOf(await client.mutation(RestoreRuleSet, { input }).toPromise()),
  };
}

/** The commands for processes or rule sets. */
export function useVersionCommands(kind: Kind): VersionCommands {
  const client = useClient();
  return useMemo(
    () => (kind === 'process' ? processCommands(client) : ruleSetCommands(client)),
    [client, kind],
  );
}
