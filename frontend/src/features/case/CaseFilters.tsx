// The filters, the order and the columns of the case list. All are in the address.
import { Button, Group, Menu, NativeSelect, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { CaseFilter } from '../../graphql/generated/bounds';
import { useRuleTitles } from '../../graphql/use-rule-titles';
import { documentStates } from '../../lib/document-states';
import { queueLabel, statusLabel } from '../../lib/labels';
import { isPlainAmount } from '../../lib/money';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { useLateText } from '../../lib/use-late-text';
import { Icon } from '../../ui/Icon';
import classes from './case.module.css';
import {
  type CasesSearch,
  changed,
  columns,
  columnsOf,
  columnsText,
  isRisk,
  panelCount,
  panelNames,
  sortOf,
  sortsFor,
  sources,
} from './case-search';
import { CaseFilterChoices, CaseFilterPeople, CaseFilterQueues } from './case-search.graphql';

/** Whether the person sees the review work of cases: risk, findings and deadlines. */
export function useStaff(): boolean {
  return hasRole(usePerson(), ...reviewerRoles, 'auditor', 'administrator');
}

export function CaseFilters() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = useSearch({ from: '/signed-in/cases' });
  const staff = useStaff();
  const count = panelCount(search, staff);
  const [opened, setOpened] = useState(count > 0);
  const go = (change: CasesSearch) =>
    void navigate({ to: '/cases', search: changed(search, change), replace: true });
  return (
    <div className={classes.filters}>
      <Group align="flex-end" gap="sm" role="search">
        <SearchText search={search} go={go} />
        <NativeSelect
          label={t('case.cases.status')}
          value={search.status ?? ''}
          onChange={(event) => go({ status: event.currentTarget.value })}
          data={[
            { value: '', label: t('case.cases.any') },
            ...documentStates.map((state) => ({
              value: state,
              label: statusLabel(t, state, staff),
            })),
          ]}
        />
        <NativeSelect
          label={t('case.cases.sort')}
          value={sortOf(search, staff)}
          onChange={(event) => go({ sort: event.currentTarget.value })}
          data={sortsFor(staff).map((sort) => ({
            value: sort,
            label: t(`case.cases.sorts.${sort}`),
          }))}
        />
        <Button
          variant="default"
          aria-expanded={opened}
          aria-controls="case-filters"
          onClick={() => setOpened(!opened)}
        >
          {count > 0 ? t('case.cases.filtersOn', { count }) : t('case.cases.filters')}
        </Button>
        <ColumnMenu search={search} staff={staff} go={go} />
      </Group>
      {search.text && (
        <Link to="/search" search={{ q: search.text }} className={classes.everywhere}>
          {t('case.cases.everywhere')}
        </Link>
      )}
      {opened && (
        <FilterPanel
          key={JSON.stringify(panelNames.map((name) => search[name]))}
          search={search}
          staff={staff}
          go={go}
        />
      )}
    </div>
  );
}

interface PartProps {
  search: CasesSearch;
  go: (change: CasesSearch) => void;
}

/** The searched text, which is in the address after a pause. */
function SearchText({ search, go }: PartProps) {
  const { t } = useTranslation();
  const [input, setInput] = useLateText(search.text ?? '', (text) => go({ text }));
  return (
    <TextInput
      label={t('case.cases.search')}
      type="search"
      leftSection={<Icon name="search" size={16} />}
      value={input}
      maxLength={CaseFilter.text}
      onChange={(event) => setInput(event.currentTarget.value)}
      style={{ flex: '1 1 16rem' }}
    />
  );
}

function ColumnMenu({ search, staff, go }: PartProps & { staff: boolean }) {
  const { t } = useTranslation();
  const shown = columnsOf(search, staff);
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Button variant="default" visibleFrom="sm">
          {t('case.cases.columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns
          .filter((column) => staff || column !== 'risk')
          .map((column) => {
            const on = shown.includes(column);
            const next = on ? shown.filter((one) => one !== column) : [...shown, column];
            return (
              <Menu.CheckboxItem
                key={column}
                checked={on}
                disabled={on && shown.length === 1}
                onChange={() => go({ columns: columnsText(next) })}
              >
                {t(`case.cases.column.${column}`)}
              </Menu.CheckboxItem>
            );
          })}
      </Menu.Dropdown>
    </Menu>
  );
}

type Draft = Record<(typeof panelNames)[number], string>;

function draftOf(search: CasesSearch): Draft {
  return Object.fromEntries(panelNames.map((name) => [name, search[name] ?? ''])) as Draft;
}

function FilterPanel({ search, staff, go }: PartProps & { staff: boolean }) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(() => draftOf(search));
  const fieldOf = (name: keyof Draft) => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  const hasAmount = draft.amountFrom !== '' || draft.amountTo !== '';
  const errors = {
    currency: hasAmount && !/^[A-Za-z]{3}$/.test(draft.currency),
    amountFrom: draft.amountFrom !== '' && !isPlainAmount(draft.amountFrom),
    amountTo: draft.amountTo !== '' && !isPlainAmount(draft.amountTo),
    minRisk: !isRisk(draft.minRisk),
    maxRisk: !isRisk(draft.maxRisk),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!Object.values(errors).includes(true)) go(draft);
  };
  const amount = (name: 'amountFrom' | 'amountTo') => (
    <TextInput
      label={t(`case.cases.${name}`)}
      inputMode="decimal"
      maxLength={24}
      error={errors[name] ? t('case.cases.amountWrong') : null}
      {...fieldOf(name)}
    />
  );
  return (
    <form id="case-filters" className={`cs-card ${classes.filterPanel}`} onSubmit={submit}>
      <div className={classes.filterFields}>
        <Choices fieldOf={fieldOf} />
        <TextInput
          label={t('case.cases.party')}
          maxLength={CaseFilter.counterparty}
          {...fieldOf('counterparty')}
        />
        <People fieldOf={fieldOf} />
        <NativeSelect
          label={t('case.cases.column.source')}
          {...fieldOf('source')}
          data={[
            { value: '', label: t('case.cases.every') },
            ...sources.map((source) => ({
              value: source,
              label: t(`case.cases.sources.${source}`),
            })),
          ]}
        />
        <TextInput type="date" label={t('case.cases.from')} {...fieldOf('from')} />
        <TextInput type="date" label={t('case.cases.to')} {...fieldOf('to')} />
        {amount('amountFrom')}
        {amount('amountTo')}
        <TextInput
          label={t('case.cases.currency')}
          maxLength={3}
          error={errors.currency ? t('case.cases.currencyWrong') : null}
          {...fieldOf('currency')}
        />
        {staff && <WorkFields fieldOf={fieldOf} errors={errors} />}
      </div>
      {staff && <p className={classes.filterHint}>{t('case.cases.workHint')}</p>}
      <Group gap="sm">
        <Button type="submit">{t('case.cases.apply')}</Button>
        <Button
          variant="default"
          onClick={() => go(Object.fromEntries(panelNames.map((name) => [name, ''])))}
        >
          {t('case.cases.clear')}
        </Button>
      </Group>
    </form>
  );
}

interface FieldsProps {
  fieldOf: (name: keyof Draft) => {
    value: string;
    onChange: (event: { currentTarget: { value: string } }) => void;
  };
}

/** An option of the present value, so that a value of the address is shown before the choices arrive. */
function withPresent(value: string, options: { value: string; label: string }[]) {
  const missing = value !== '' && !options.some((option) => option.value === value);
  return missing ? [{ value, label: value }, ...options] : options;
}

function Choices({ fieldOf }: FieldsProps) {
  const { t, i18n } = useTranslation();
  const [{ data }] = useQuery({ query: CaseFilterChoices });
  const options = (
    nodes: readonly {
      key: string;
      title: string;
      titles: { name: string; value: string }[];
    }[] = [],
  ) => {
    const newest = new Map(nodes.toReversed().map((one) => [one.key, one]));
    return [...newest.values()].map(({ key, title, titles }) => ({
      value: key,
      label: titles.find(({ name }) => name === i18n.language)?.value ?? title,
    }));
  };
  const every = { value: '', label: t('case.cases.every') };
  const [process, type] = [fieldOf('process'), fieldOf('type')];
  return (
    <>
      <NativeSelect
        label={t('case.cases.process')}
        {...process}
        data={[every, ...withPresent(process.value, options(data?.processDefinitions.nodes))]}
      />
      <NativeSelect
        label={t('case.cases.column.type')}
        {...type}
        data={[every, ...withPresent(type.value, options(data?.documentTypes.nodes))]}
      />
    </>
  );
}

/** The submitter, for those who see the list of people. */
function People({ fieldOf }: FieldsProps) {
  const { t } = useTranslation();
  const may = hasRole(usePerson(), 'manager', 'auditor', 'administrator');
  const [{ data }] = useQuery({ query: CaseFilterPeople, pause: !may });
  if (!may) return null;
  const field = fieldOf('submitter');
  const options = (data?.people ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <NativeSelect
      label={t('case.cases.column.submitter')}
      {...field}
      data={[{ value: '', label: t('case.cases.every') }, ...withPresent(field.value, options)]}
    />
  );
}

/** The queues that the person may see; a name is typed by those who see cases of queues, not the queues. */
function Queues({ fieldOf }: FieldsProps) {
  const { t } = useTranslation();
  const person = usePerson();
  const [{ data }] = useQuery({ query: CaseFilterQueues, pause: !hasRole(person, 'manager') });
  const names = [
    ...new Set([...(person?.queues ?? []), ...(data?.queues ?? []).map(({ name }) => name)]),
  ];
  const field = fieldOf('queue');
  if (names.length === 0)
    return <TextInput label={t('case.cases.queue')} maxLength={CaseFilter.queue} {...field} />;
  const options = names.sort().map((name) => ({ value: name, label: queueLabel(t, name) }));
  return (
    <NativeSelect
      label={t('case.cases.queue')}
      {...field}
      data={[{ value: '', label: t('case.cases.every') }, ...withPresent(field.value, options)]}
    />
  );
}

function WorkFields({ fieldOf, errors }: FieldsProps & { errors: { [name: string]: boolean } }) {
  const { t, i18n } = useTranslation();
  const field = fieldOf('rule');
  const options = [...useRuleTitles(i18n.language)].map(([value, label]) => ({ value, label }));
  return (
    <>
      {(['minRisk', 'maxRisk'] as const).map((name) => (
        <TextInput
          key={name}
          label={t(`case.cases.${name}`)}
          inputMode="numeric"
          maxLength={3}
          error={errors[name] ? t('case.cases.riskWrong') : null}
          {...fieldOf(name)}
        />
      ))}
      <Queues fieldOf={fieldOf} />
      <NativeSelect
        label={t('case.cases.rule')}
        {...field}
        data={[
          { value: '', label: t('case.cases.every') },
          ...withPresent(
            field.value,
            options.sort((a, b) => a.label.localeCompare(b.label, i18n.language)),
          ),
        ]}
      />
    </>
  );
}
