// The commands on versioned definitions, the same for processes, rule sets and document types.
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
import {
  ProposeDocumentType,
  PublishDocumentType,
  RestoreDocumentType,
  WithdrawDocumentType,
} from './types.graphql';

export type Kind = 'process' | 'rules' | 'types';

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

function documentTypeCommands(client: Client): VersionCommands {
  return {
    propose: async (input) => {
      const response = await client.mutation(ProposeDocumentType, { input }).toPromise();
      return {
        ...outcomeOf(response),
        key: response.data?.proposeDocumentType.proposal?.key ?? null,
      };
    },
    publish: async (input) =>
      outcomeOf(await client.mutation(PublishDocumentType, { input }).toPromise()),
    withdraw: async (input) =>
      outcomeOf(await client.mutation(WithdrawDocumentType, { input }).toPromise()),
    restore: async (input) =>
      outcomeOf(await client.mutation(RestoreDocumentType, { input }).toPromise()),
  };
}

const commandsOf = {
  process: processCommands,
  rules: ruleSetCommands,
  types: documentTypeCommands,
} as const;

/** The texts and the page of each kind of versioned definition. */
export const kindTexts = {
  process: {
    page: '/definitions/$key',
    editor: '/definitions/$key/edit',
    publish: 'definitions.publish.text',
    propose: 'definitions.edit.proposeText',
    restore: 'definitions.restore.text',
  },
  rules: {
    page: '/rules/$key',
    editor: '/rules/$key/edit',
    publish: 'definitions.rules.publish',
    propose: 'definitions.rules.proposeText',
    restore: 'definitions.rules.proposeText',
  },
  types: {
    page: '/types/$key',
    editor: null, // the editor of a type changes versions only
    publish: 'definitions.types.publish',
    propose: 'definitions.types.proposeText',
    restore: 'definitions.types.proposeText',
  },
} as const;

/** The commands for processes, rule sets or document types. */
export function useVersionCommands(kind: Kind): VersionCommands {
  const client = useClient();
  return useMemo(() => commandsOf[kind](client), [client, kind]);
}
