import { graphql } from '../../graphql/generated';

/** The roles and queues that can be assigned to a user. */
export const AssignableRolesAndQueues = graphql(`
  query AssignableRolesAndQueues {
    roles {
      name
      builtIn
    }
    queueSettings {
      queue
    }
  }
`);

export const PutPerson = graphql(`
  mutation PutPerson($input: PutPersonInput!) {
    putPerson(input: $input) {
      person {
        id
        version
        name
        roleNames
        queues
        disabled
      }
      proposal {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ResetSignIn = graphql(`
  mutation ResetSignIn($input: ResetSignInInput!) {
    resetSignIn(input: $input) {
      results {
        proposal {
          id
        }
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetSkills = graphql(`
  mutation SetSkills($input: SetSkillsInput!) {
    setSkills(input: $input) {
      person {
        id
        version
        skills
      }
      proposal {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetApiTokenRequests = graphql(`
  mutation SetApiTokenRequests($input: SetApiTokenRequestsInput!) {
    setApiTokenRequests(input: $input) {
      token {
        id
        requestsPerMinute
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const DeclareOwnAccount = graphql(`
  mutation DeclareOwnAccount($input: OwnAccountInput!) {
    declareOwnAccount(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const PartyGroup = graphql(`
  query PartyGroup($counterparty: String!) {
    partyGroup(counterparty: $counterparty)
  }
`);

export const GroupParty = graphql(`
  mutation GroupParty($input: GroupPartyInput!) {
    groupParty(input: $input) {
      group
      proposal {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** The proposed accounts, and the proposed changes of accounts. */
export const ProposedAccounts = graphql(`
  query ProposedAccounts {
    controlChanges(first: 100, filter: { kind: PERSON, status: PROPOSED }) {
      nodes {
        id
        subject
        before
      }
    }
  }
`);
