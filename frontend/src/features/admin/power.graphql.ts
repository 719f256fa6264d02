import { graphql } from '../../graphql/generated';

/** Roles and queues that can be chosen for a person. */
export const Choices = graphql(`
  query Choices {
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
      userErrors {
        ...PowerRefused
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
      userErrors {
        ...PowerRefused
      }
    }
  }
`);

export const SetKeyRequests = graphql(`
  mutation SetKeyRequests($input: SetApiTokenRequestsInput!) {
    setApiTokenRequests(input: $input) {
      token {
        id
        requestsPerMinute
      }
      userErrors {
        ...PowerRefused
      }
    }
  }
`);

export const DeclareAccount = graphql(`
  mutation DeclareAccount($input: OwnAccountInput!) {
    declareOwnAccount(input: $input) {
      userErrors {
        ...PowerRefused
      }
    }
  }
`);

export const PartyGroup = graphql(`
  query PartyGroup($counterparty: String!) {
    partyGroup(counterparty: $counterparty)
  }
`);

export const GroupTogether = graphql(`
  mutation GroupTogether($input: GroupPartyInput!) {
    groupParty(input: $input) {
      group
      userErrors {
        ...PowerRefused
      }
    }
  }
`);

export const PowerRefused = graphql(`
  fragment PowerRefused on Refusal {
    code
    message
    wayOut
    field
    values {
      name
      value
    }
  }
`);
