import { graphql } from './generated';

/** Stores a choice of the user about the layout of the pages. */
export const SetPersonSetting = graphql(`
  mutation SetPersonSetting($input: SetPersonSettingInput!) {
    setPersonSetting(input: $input) {
      done
    }
  }
`);
