// A list of texts with versions, such as rule sets: their active version and their open proposals.
import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CombinedError } from 'urql';
import type { IconName } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { Published } from './Published';

interface Definition {
  key: string;
  version: number;
  /** In the language of the page. */
  name: string;
  /** What is said beside the key. */
  note: string;
  published: Parameters<typeof Published>[0]['version'];
}

interface DefinitionListProps {
  title: string;
  intro: string;
  actions?: ReactNode;
  error: CombinedError | undefined;
  onRetry: () => void;
  /** Undefined while they are loading. */
  definitions: readonly Definition[] | undefined;
  /** The open proposals, also of texts that have no version yet. */
  proposals: readonly { key: string }[];
  empty: { icon: IconName; title: string };
  /** The link to the page of a definition. */
  link: (key: string, text: string) => ReactNode;
}

export function DefinitionList(props: DefinitionListProps) {
  const { title, intro, actions, error, onRetry, definitions, proposals, empty, link } = props;
  const { t } = useTranslation();
  const unpublished = [...new Set(proposals.map(({ key }) => key))].filter(
    (key) => !definitions?.some((one) => one.key === key),
  );
  return (
    <>
      <PageHeader title={title} actions={actions}>
        {intro}
      </PageHeader>
      {error && !definitions && <ErrorState error={error} onRetry={onRetry} />}
      {!error && !definitions && <LoadingState lines={8} />}
      {definitions?.length === 0 && (
        <EmptyState icon={empty.icon} title={empty.title}>
          {t('definitions.empty.text')} <code className="cs-mono">countersign migrate</code>
        </EmptyState>
      )}
      <ul className={classes.list}>
        {definitions?.map((one) => (
          <li key={one.key} className="cs-card">
            <Group justify="space-between" align="flex-start" gap="sm">
              <div className={classes.names}>
                <Title order={2} className="cs-lines2">
                  {link(one.key, one.name)}
                </Title>
                <Text size="xs" c="dimmed" component="div">
                  <span className="cs-mono">{one.key}</span> · {one.note}
                </Text>
              </div>
              <div>
                <Text size="sm">{t('definitions.versionInForce', { version: one.version })}</Text>
                <Published version={one.published} />
                <Proposed count={proposals.filter(({ key }) => key === one.key).length} />
              </div>
            </Group>
          </li>
        ))}
        {unpublished.map((key) => (
          <li key={key} className="cs-card">
            <Title order={2}>{link(key, key)}</Title>
            <Proposed count={proposals.filter((one) => one.key === key).length} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Proposed({ count }: { count: number }) {
  const { t } = useTranslation();
  return count === 0 ? null : (
    <Badge tone="warn" icon="pen">
      {t('definitions.proposed', { count })}
    </Badge>
  );
}
