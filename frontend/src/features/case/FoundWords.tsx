// The pages of the case with the words of a search highlighted. The address holds the words and the page.
import { Button, Group, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { Icon } from '../../ui/Icon';
import { PageImage } from '../../ui/PageImage';
import { usePageView } from '../../ui/page-view';
import { ErrorState, LoadingState } from '../../ui/states';
import classes from './case.module.css';
import { type Found, foundOf } from './found';
import { FoundWords as FoundWordsDocument } from './found.graphql';
import type { CaseData } from './IncidentPanel';

export function FoundWords({ caseData }: { caseData: CaseData }) {
  const { find, page } = useSearch({ from: '/signed-in/cases/$id' });
  if (find === undefined || caseData.erasure) return null;
  return <FoundPanel key={`${find} ${page}`} caseData={caseData} find={find} page={page} />;
}

interface FoundPanelProps {
  caseData: CaseData;
  find: string;
  page: number | undefined;
}

function FoundPanel({ caseData, find, page }: FoundPanelProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [{ data, error }, refetch] = useQuery({
    query: FoundWordsDocument,
    variables: { query: find, caseId: caseData.id },
    requestPolicy: 'network-only',
  });
  const found = useMemo(
    () =>
      data &&
      foundOf(data.search.nodes, caseData.id, (number) => t('case.found.match', { number })),
    [data, caseData.id, t],
  );
  return (
    <section className={`cs-card ${classes.found}`} aria-labelledby="found-words">
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Title order={2} id="found-words" className="cs-lines2">
          {t('case.found.title', { find })}
        </Title>
        <Button
          variant="default"
          size="compact-sm"
          style={{ flex: 'none' }}
          onClick={() =>
            void navigate({
              to: '/cases/$id',
              params: { id: caseData.reference },
              replace: true,
              resetScroll: false,
            })
          }
        >
          {t('case.found.hide')}
        </Button>
      </Group>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      ) : !found ? (
        <LoadingState lines={4} />
      ) : found.boxes.length === 0 ? (
        <Text role="status">{t('case.found.none')}</Text>
      ) : (
        <FoundPages found={found} page={page} />
      )}
    </section>
  );
}

function FoundPages({ found, page }: { found: Found; page: number | undefined }) {
  const { t } = useTranslation();
  const view = usePageView();
  const [at, setAt] = useState(() =>
    Math.max(
      found.boxes.findIndex((box) => box.page === page),
      0,
    ),
  );
  const count = found.boxes.length;
  const step = (by: number) => setAt((now) => (now + by + count) % count);
  const box = found.boxes[at];
  return (
    <>
      <Group gap="xs">
        <Text size="sm" role="status">
          {t('case.found.position', { number: at + 1, count, page: box?.page })}
        </Text>
        {count > 1 && (
          <>
            <Button variant="default" size="compact-sm" onClick={() => step(-1)}>
              {t('case.found.previous')}
            </Button>
            <Button
              variant="default"
              size="compact-sm"
              rightSection={<Icon name="right" size={14} />}
              onClick={() => step(1)}
            >
              {t('case.found.next')}
            </Button>
          </>
        )}
      </Group>
      <div className={classes.foundPages}>
        <PageImage
          pages={found.pages}
          boxes={found.boxes}
          highlighted={box?.id ?? null}
          onPick={(id) => setAt(Number(id))}
          view={view}
          label={t('case.found.label')}
        />
      </div>
    </>
  );
}
