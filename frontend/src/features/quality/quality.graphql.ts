import { graphql } from '../../graphql/generated';

export const QualityWork = graphql(`
  query QualityWork {
    qualityWork {
      waiting
      task {
        id
        settles
        documentType
        fields
        until
        file
        pages {
          number
          width
          height
          path
        }
        supporting {
          number
          kind
          labels {
            name
            value
          }
          read
          file
          pages {
            number
            width
            height
            path
          }
        }
        check {
          approves
          reason
          values {
            field
            archived
            checked
            agrees
          }
        }
      }
    }
  }
`);

export const QualityRecords = graphql(`
  query QualityRecords {
    qualitySamples(first: 20) {
      nodes {
        id
        caseId
        reference
        stratum
        status
        archivedAt
        drawnAt
        correctionId
        assignee {
          id
          name
        }
        checks {
          settles
          blind
          reason
          person {
            id
            name
          }
        }
      }
    }
    processDefinitions(first: 100, filter: { newest: true, callable: false }) {
      nodes {
        key
        titles {
          name
          value
        }
      }
    }
    qualityFigures(days: 90) {
      straightThrough
      strata {
        stratum
        archived
        withoutShare
        drawn
        open
        oldestOpen
        samples
        wrong
        notBlind
        notBlindWrong
        overruled
        rate
        bound
        worstRate
      }
      groups {
        kind
        key
        checked
        disagreed
      }
      pairs {
        submitter {
          id
          name
        }
        reviewer {
          id
          name
        }
        documents
        share
        seconds
        nearMark
      }
      checkers {
        person {
          id
          name
        }
        checked
        disagreed
        settled
        confirmed
        released
        expired
        seconds
      }
      shares {
        process
        stratum
        percent
        since
        reason
        proposedBy {
          id
          name
        }
        confirmedBy {
          id
          name
        }
      }
    }
  }
`);

export const TakeQualitySample = graphql(`
  mutation TakeQualitySample($input: TakeQualitySampleInput!) {
    takeQualitySample(input: $input) {
      status
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ReleaseQualitySample = graphql(`
  mutation ReleaseQualitySample($input: QualitySampleInput!) {
    releaseQualitySample(input: $input) {
      status
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const CheckQualitySample = graphql(`
  mutation CheckQualitySample($input: CheckQualitySampleInput!) {
    checkQualitySample(input: $input) {
      status
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SettleQualitySample = graphql(`
  mutation SettleQualitySample($input: SettleQualitySampleInput!) {
    settleQualitySample(input: $input) {
      status
      correctionId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
