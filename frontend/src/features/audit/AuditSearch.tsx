// Searches the audit log over all cases: who did what, when, on which amounts and rules.
import {
  Anchor,
  Button,
  Group,
  SegmentedControl,
  Select,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useRuleTitles } from '../../graphql/use-rule-titles';
import { eventTypes } from '../../lib/case-events';
import { baseCurrency } from '../../lib/money';
import { plainID } from '../../lib/plain-id';
import { ExportMenu } from '../../ui/ExportMenu';
import { EmptyState, ErrorState, LoadingState } from '../../ui/states';
import { PeopleToAudit, AuditSearch as SearchQuery } from './audit.graphql';
import classes from './audit.module.css';
import { emptySearch, exportFilters, filterOf, isAmount, type SearchForm } from './audit-search';
import { Trail } from './Trail';

const outcomes = [
  'ARCHIVED',
  'REJECTED',
  'ABANDONED',
  'RETURNED',
  'IN_REVIEW',
  'INCIDENT',
] as const;

export function AuditSearch() {
  const { t, i18n } = useTranslation();
  const [form, setForm] = useState(emptySearch);
  const [asked, setAsked] = useState<SearchForm | null>(null);
  const [{ data }] = useQuery({ query: PeopleToAudit });
  const titles = useRuleTitles(i18n.language);
  const [typedRule, setTypedRule] = useState('');
  // The newest rule sets do not have the rules of old findings, so any key can be typed.
  const rules = [
    ...[...titles].map(([value, label]) => ({ value, label })),
    ...[...new Set([typedRule, form.rule])]
      .filter((key) => /^[a-z][a-z0-9_]*$/.test(key) && !titles.has(key))
      .map((value) => ({ value, label: value })),
  ];
  const set = (change: Partial<SearchForm>) => setForm({ ...form, ...change });
  const valid = isAmount(form.min) && isAmount(form.max);
  return (
    <section aria-labelledby="audit-search">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="audit-search">
          {t('audit.find.title')}
        </Title>
        {asked && (
          <ExportMenu
            kind="audit-search"
            filters={exportFilters(asked, asked.person && plainID(asked.person))}
          />
        )}
      </Group>
      <form
        className={`cs-card ${classes.search}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (valid) setAsked(form);
        }}
      >
        <SegmentedControl
          aria-label={t('audit.find.kind')}
          value={form.kind}
          onChange={(kind) => set({ kind: kind as SearchForm['kind'], type: null })}
          data={[
            { value: 'EVENT', label: t('audit.find.EVENT') },
            { value: 'ACCESS', label: t('audit.find.ACCESS') },
          ]}
        />
        <div className={classes.filters}>
          <Select
            searchable
            clearable
            label={t('audit.find.person')}
            value={form.person}
            onChange={(person) => set({ person })}
            data={(data?.people ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
          {form.kind === 'EVENT' && (
            <Select
              searchable
              clearable
              label={t('audit.find.type')}
              value={form.type}
              onChange={(type) => set({ type })}
              data={eventTypes.map((type) => ({ value: type, label: t(`eventTypes.${type}`) }))}
            />
          )}
          <TextInput
            type="date"
            label={t('audit.find.from')}
            value={form.from}
            onChange={(event) => set({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label={t('audit.find.to')}
            value={form.to}
            onChange={(event) => set({ to: event.currentTarget.value })}
          />
          <TextInput
            inputMode="decimal"
            label={t('audit.find.min', { currency: baseCurrency })}
            error={isAmount(form.min) ? null : t('audit.find.amount')}
            value={form.min}
            onChange={(event) => set({ min: event.currentTarget.value })}
          />
          <TextInput
            inputMode="decimal"
            label={t('audit.find.max', { currency: baseCurrency })}
            error={isAmount(form.max) ? null : t('audit.find.amount')}
            value={form.max}
            onChange={(event) => set({ max: event.currentTarget.value })}
          />
          <Select
            searchable
            clearable
            label={t('audit.find.rule')}
            value={form.rule || null}
            onChange={(rule) => set({ rule: rule ?? '' })}
            onSearchChange={setTypedRule}
            data={rules}
          />
          <Select
            clearable
            label={t('audit.find.outcome')}
            value={form.outcome ?? null}
            onChange={(outcome) => set({ outcome: outcome as SearchForm['outcome'] })}
            data={outcomes.map((status) => ({
              value: status,
              label: t(`caseLabels.status.${status.toLowerCase() as 'archived'}`),
            }))}
          />
        </div>
        <Button type="submit">{t('audit.find.submit')}</Button>
      </form>
      {asked && <Found key={JSON.stringify(asked)} form={asked} after={null} first />}
    </section>
  );
}

/** One page of found entries, followed by the next when it is requested. */
function Found({
  form,
  after,
  first,
}: {
  form: SearchForm;
  after: string | null;
  first?: boolean;
}) {
  const { t } = useTranslation();
  const [more, setMore] = useState(false);
  const [{ data, error }, refetch] = useQuery({
    query: SearchQuery,
    variables: { filter: filterOf(form), after },
    requestPolicy: 'network-only',
  });
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data) return <LoadingState lines={5} />;
  const { nodes, pageInfo } = data.auditSearch;
  if (nodes.length === 0 && first)
    return (
      <EmptyState icon="search" title={t('audit.find.none')}>
        {t('audit.find.noneHint')}
      </EmptyState>
    );
  return (
    <>
      <Trail
        lines={nodes.map(({ entry }) => entry)}
        about={(index) => <About found={nodes[index]} />}
      />
      {pageInfo.hasNextPage && !more && (
        <Button variant="default" mt="sm" onClick={() => setMore(true)}>
          {t('ui.more')}
        </Button>
      )}
      {pageInfo.hasNextPage && more && <Found form={form} after={pageInfo.endCursor} />}
    </>
  );
}

/** The case of an entry. */
function About({
  found,
}: {
  found: { caseId: string | null; reference: string | null } | undefined;
}) {
  const { t } = useTranslation();
  if (!found?.caseId)
    return (
      <Text size="xs" c="dimmed">
        {t('audit.find.noCase')}
      </Text>
    );
  return (
    <Anchor size="sm" component={Link} to={`/audit/${found.reference ?? found.caseId}`}>
      {found.reference}
    </Anchor>
  );
}
