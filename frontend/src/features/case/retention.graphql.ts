import { graphql } from '../../graphql/generated';

export const PlaceLegalHold = graphql(`
  mutation PlaceLegalHold($input: PlaceLegalHoldInput!) {
    placeLegalHold(input: $input) {
      hold {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ProposeHoldLift = graphql(`
  mutation ProposeHoldLift($input: ProposeHoldLiftInput!) {
    proposeHoldLift(input: $input) {
      results {
        applied
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ProposeErasure = graphql(`
  mutation ProposeErasure($input: ProposeErasureInput!) {
    proposeErasure(input: $input) {
      results {
        applied
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
