// What a policy would change for whom: warnings, and a table of the people who gain or lose actions.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { documentTypeLabels, queueLabel, queueLabels } from '../../lib/labels';
import { problemMessage } from '../../lib/problem-labels';
import { Notice } from '../../ui/states';
import { PersonName } from '../../ui/values';

import classes from './authority.module.css';
import { Bound } from './Bound';
import type { Preview } from './use-policy-preview';

const actionName = (t: TFunction<'translation'>, action: string) =>
  t(`authority.action.${action}` as 'authority.action.read', { defaultValue: action });

export function PolicyEffect({ preview, failed }: { preview: Preview | null; failed: boolean }) {
  const { t } = useTranslation();
  if (!preview) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {t(failed ? 'authority.effect.failed' : 'authority.effect.loading')}
      </Text>
    );
  }
  if (!preview.evaluated) return null;
  const warnings = warningsOf(t, preview);
  return (
    <div className={classes.effect}>
      <Text size="sm" fw={600}>
        {t('authority.effect.title')}
      </Text>
      <Text size="sm" role="status">
        {preview.changedPeople === 0
          ? t('authority.effect.nothing', { count: preview.activePeople })
          : t('authority.effect.some', {
              changed: preview.changedPeople,
              active: preview.activePeople,
            })}{' '}
        {preview.people.length < preview.changedPeople &&
          t('authority.effect.listed', { count: preview.people.length })}
      </Text>
      {warnings.length > 0 && (
        <Notice tone="warn" icon="alert">
          <ul className={classes.warnings}>
            {warnings.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </Notice>
      )}
      <BlockedReviews preview={preview} />
      <LimitList preview={preview} />
      {preview.people.length > 0 && (
        <PeopleTable people={preview.people} label={t('authority.effect.title')} />
      )}
      {preview.together.length > 0 && (
        <>
          <Notice tone="warn" icon="alert">
            {t('authority.effect.together', { count: preview.together.length })}
          </Notice>
          <PeopleTable people={preview.together} label={t('authority.effect.togetherTitle')} />
        </>
      )}
    </div>
  );
}

function warningsOf(t: TFunction<'translation'>, preview: Preview): string[] {
  const actions = preview.actions.map((one) => {
    const values = { action: actionName(t, one.action), before: one.before, after: one.after };
    if (one.everyone) return t('authority.effect.everyone', values);
    if (one.after === 0) return t('authority.effect.noOne', values);
    const names = one.holders
      .map((holder) => holder?.name ?? t('authority.effect.hidden'))
      .join(', ');
    return t('authority.effect.few', { ...values, names });
  });
  const conditions = preview.fixedConditions.map(({ rule, always }) =>
    t(always ? 'authority.effect.always' : 'authority.effect.never', { rule }),
  );
  const shortages = preview.understaffed.map(({ process, problem }) =>
    t('authority.effect.understaffed', { process, problem: problemMessage(t, problem) }),
  );
  return [
    ...preview.warnings.map((one) => problemMessage(t, one)),
    ...actions,
    ...conditions,
    ...new Set(shortages),
    ...(preview.complete ? [] : [t('authority.effect.incomplete')]),
  ];
}

function BlockedReviews({ preview }: { preview: Preview }) {
  const { t } = useTranslation();
  if (preview.blockedCount === 0) return null;
  return (
    <Notice tone="bad" icon="alert">
      {t('authority.effect.blocked', { count: preview.blockedCount })}
      <ul className={classes.warnings}>
        {preview.blockedReviews.map(({ reviewId, reference, queue }) => (
          <li key={reviewId}>
            <Link to="/cases/$id" params={{ id: reference }}>
              {reference}
            </Link>{' '}
            ({queueLabel(t, queue)})
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The limits that the text changes, also those of roles that no one has. */
function LimitList({ preview }: { preview: Preview }) {
  const { t } = useTranslation();
  if (preview.limits.length === 0) return null;
  return (
    <ul className={classes.warnings} aria-label={t('authority.limit.changed')}>
      {preview.limits.map((one) => (
        <li key={`${one.role} ${one.documentType}`}>
          {t('authority.limit.of', { role: roleName(t, one.role) })},{' '}
          {one.documentType === ''
            ? t('authority.limit.everyType')
            : documentTypeLabels(t, [one.documentType])}
          : <Bound bound={one.before} /> → <Bound bound={one.after} />
        </li>
      ))}
    </ul>
  );
}

const roleName = (t: TFunction<'translation'>, role: string) =>
  t(`app.roles.${role}` as 'app.roles.manager', { defaultValue: role });

type AffectedPerson = Preview['people'][number];

function PeopleTable({ people, label }: { people: readonly AffectedPerson[]; label: string }) {
  const { t } = useTranslation();
  return (
    <table className={`cs-table ${classes.table}`} aria-label={label}>
      <thead>
        <tr>
          <th>{t('authority.effect.person')}</th>
          <th>{t('authority.effect.gains')}</th>
          <th>{t('authority.effect.loses')}</th>
          <th>{t('authority.effect.amounts')}</th>
        </tr>
      </thead>
      <tbody>
        {people.map((one, index) => (
          <tr key={one.person?.id ?? index}>
            <td className={classes.role}>
              {one.newAccount ? (
                t('authority.effect.newAccount', { name: one.newAccount })
              ) : (
                <PersonName person={one.person} fallback={t('authority.effect.hidden')} />
              )}
              {one.duties.map(({ one: first, other }) => (
                <Text size="xs" key={`${first} ${other}`}>
                  {t('authority.effect.duties', {
                    one: actionName(t, first),
                    other: actionName(t, other),
                  })}
                </Text>
              ))}
            </td>
            <td>
              <Rights rights={one.gains} label={t('authority.effect.gains')} gained />
            </td>
            <td>
              <Rights rights={one.loses} label={t('authority.effect.loses')} />
            </td>
            <td>
              <span className={classes.narrowLabel}>{t('authority.effect.amounts')}: </span>
              {one.amounts.length === 0 && t('authority.effect.sameAmounts')}
              {one.amounts.map(({ documentType, before, after }) => (
                <div key={documentType}>
                  {documentType === ''
                    ? t(
                        one.amounts.length > 1
                          ? 'authority.effect.otherTypes'
                          : 'authority.matrix.allTypes',
                      )
                    : documentTypeLabels(t, [documentType])}
                  : <Bound bound={before} /> → <Bound bound={after} />
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RightsProps {
  rights: Preview['people'][number]['gains'];
  label: string;
  gained?: boolean;
}

function Rights({ rights, label, gained = false }: RightsProps) {
  const { t } = useTranslation();

  const words = rights.map(({ action, object, partly, queues }) => {
    const where =
      queues.length > 0
        ? queueLabels(t, queues)
        : t(`authority.matrix.object.${object}` as 'authority.matrix.object.case', {
            defaultValue: object,
          });
    const how = partly ? [t(`authority.effect.${gained ? 'partlyGains' : 'partlyLoses'}`)] : [];
    return `${actionName(t, action)} (${[where, ...how].join('; ')})`;
  });
  return (
    <>
      <span className={classes.narrowLabel}>{label}: </span>
      {words.length > 0 ? words.join(', ') : t('authority.effect.none')}
    </>
  );
}
