// Other documents of the counterparty of a case, the newest first, with a link to the whole list.
import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { CaseAmount } from '../../ui/CaseAmount';
import { StatusBadge } from '../../ui/StatusBadge';
import { Timestamp } from '../../ui/values';
import { Section } from './CaseSections';
import classes from './case.module.css';
import type { CaseData } from './IncidentPanel';
import { VendorCases } from './vendor.graphql';

/** The shortest name that is looked for: a shorter one is part of too many others. */
const shortestName = 3;

/** How many documents are shown here. */
const shown = 5;

export function VendorDocuments({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const { counterparty } = caseData;
  const [{ data }] = useQuery({
    query: VendorCases,
    variables: { counterparty },
    pause: counterparty.length < shortestName,
    requestPolicy: 'cache-and-network',
  });
  const others = (data?.cases.nodes ?? []).filter(({ id }) => id !== caseData.id).slice(0, shown);
  if (others.length === 0) return null;
  return (
    <Section id="vendor-documents" title={t('case.vendor.title', { name: counterparty })}>
      <ul className={classes.plain}>
        {others.map((other) => (
          <li key={other.id} className={classes.finding}>
            <Group gap="xs" justify="space-between">
              <Link to="/cases/$id" params={{ id: other.reference }}>
                {other.reference}
              </Link>
              <StatusBadge status={other.status} />
            </Group>
            <Text size="sm">
              <CaseAmount amounts={other} /> · <Timestamp iso={other.createdAt} as="moment" />
            </Text>
          </li>
        ))}
      </ul>
      <Link to="/cases" search={{ counterparty }}>
        {t('case.vendor.all')}
      </Link>
    </Section>
  );
}
