import { graphql } from '../../graphql/generated';

export const SavedViewRow = graphql(`
  fragment SavedViewRow on SavedView {
    id
    version
    list
    name
    parameters {
      name
      value
    }
    audience
    audienceKey
    owner {
      id
      name
    }
    own
    changeable
    default
    usable
    updatedAt
    updatedBy {
      id
      name
    }
  }
`);

export const SavedViews = graphql(`
  query SavedViews($list: ViewList!) {
    savedViews(list: $list) {
      ...SavedViewRow
    }
  }
`);

export const SaveView = graphql(`
  mutation SaveView($input: SaveViewInput!) {
    saveView(input: $input) {
      view {
        ...SavedViewRow
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const DeleteView = graphql(`
  mutation DeleteView($input: DeleteViewInput!) {
    deleteView(input: $input) {
      viewId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetDefaultView = graphql(`
  mutation SetDefaultView($input: SetDefaultViewInput!) {
    setDefaultView(input: $input) {
      done
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
