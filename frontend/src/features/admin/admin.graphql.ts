import { graphql } from '../../graphql/generated';

/** All users with their roles and limits. */
export const AllPeople = graphql(`
  query AllPeople {
    people {
      id
      version
      name
      email
      employeeId
      identities {
        provider
        wantedRoles
      }
      roles
      roleNames
      queues
      skills
      disabled
      openReviews
      limits {
        role
        action
        documentType
        amount {
          amount
          currency
        }
      }
      apiTokens {
        id
        name
        revokedAt
        expiresAt
        requestsPerMinute
      }
    }
  }
`);

/** The current user's account: profile, conflicts and access keys. */
export const Account = graphql(`
  query Account {
    viewer {
      person {
        id
        name
        email
        roles
        queues
        disabled
        limits {
          role
          action
          documentType
          amount {
            amount
            currency
          }
        }
      }
      ownAccounts
      conflicts {
        id
        counterparty
        reason
        createdAt
      }
      apiTokens {
        id
        name
        scopes
        createdAt
        expiresAt
        revokedAt
        lastUsed
        requestsPerMinute
      }
    }
  }
`);

export const DeclareConflict = graphql(`
  mutation DeclareConflict($input: DeclareConflictInput!) {
    declareConflict(input: $input) {
      conflictId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const CreateApiToken = graphql(`
  mutation CreateApiToken($input: CreateApiTokenInput!) {
    createApiToken(input: $input) {
      token {
        id
        name
        scopes
        createdAt
        expiresAt
        revokedAt
        lastUsed
        requestsPerMinute
      }
      secret
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RevokeApiToken = graphql(`
  mutation RevokeApiToken($input: RevokeApiTokenInput!) {
    revokeApiToken(input: $input) {
      token {
        id
        revokedAt
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
