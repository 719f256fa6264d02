// One user with roles, queues and limits.
import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { queueLabels } from '../../lib/labels';
import type { Role } from '../../lib/session';
import { Badge } from '../../ui/StatusBadge';
import classes from './admin.module.css';
import { Limits } from './Limits';
import type { Person } from './people';

interface PersonCardProps {
  person: Person;
  /** Declares a conflict of interest for the person; null if not permitted. */
  onDeclareConflict: (() => void) | null;
  /** Edits the person; null if not permitted or if it is the current user. */
  onEdit: (() => void) | null;
  /** Proposes a new password link; null as for onEdit. */
  onResetSignIn: (() => void) | null;
}

export function PersonCard({ person, onDeclareConflict, onEdit, onResetSignIn }: PersonCardProps) {
  const { t } = useTranslation();
  const roleLabel = (role: string) => t(`app.roles.${role as Role}`, { defaultValue: role });
  const wanted = (person.identities ?? []).flatMap((identity) => identity.wantedRoles);
  return (
    <li className={classes.person} data-disabled={person.disabled || undefined}>
      <div className={classes.identity}>
        <Text fw={600} className="cs-lines2" title={person.name}>
          {person.name}
        </Text>
        {person.email && (
          <Text size="sm" c="dimmed" className="cs-lines2" title={person.email}>
            {person.email}
          </Text>
        )}
        {person.employeeId && (
          <Text size="xs" c="dimmed" className="cs-lines2">
            {t('admin.person.employeeId')}: {person.employeeId}
          </Text>
        )}
        {person.disabled && (
          <Badge tone="bad" icon="refused">
            {t('admin.disabled')}
          </Badge>
        )}
      </div>
      <div>
        <Text size="sm">{person.roleNames.map(roleLabel).join(', ')}</Text>
        {wanted.length > 0 && (
          <Text size="xs" c="dimmed">
            {t('admin.person.wanted', { roles: wanted.map(roleLabel).join(', ') })}
          </Text>
        )}
        {person.queues.length > 0 && (
          <Text size="xs" c="dimmed">
            {t('admin.queues', { queues: queueLabels(t, person.queues) })}
            {` · ${
              person.openReviews === null
                ? t('admin.openHidden')
                : t('admin.open', { count: person.openReviews })
            }`}
          </Text>
        )}
      </div>
      <Limits limits={person.limits} />
      <Group gap={6}>
        {onEdit && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onEdit}
            aria-label={t('admin.person.changeOne', { name: person.name.slice(0, 80) })}
          >
            {t('admin.person.change')}
          </Button>
        )}
        {onResetSignIn && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onResetSignIn}
            aria-label={t('admin.reset.of', { name: person.name.slice(0, 80) })}
          >
            {t('admin.reset.action')}
          </Button>
        )}
        {onDeclareConflict && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onDeclareConflict}
            aria-label={t('admin.conflict.of', { name: person.name.slice(0, 80) })}
          >
            {t('admin.conflict.action')}
          </Button>
        )}
      </Group>
    </li>
  );
}
