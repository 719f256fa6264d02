// Badges. A colour is always combined with an icon or a text.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocumentState, documentStateOf } from '../lib/document-states';
import { statusLabel } from '../lib/labels';
import { hasRole, reviewerRoles, usePerson } from '../lib/session';
import { Icon, type IconName } from './Icon';

export type Tone = 'calm' | 'busy' | 'good' | 'warn' | 'bad';

export function Badge({
  tone,
  icon,
  spin,
  children,
}: {
  tone: Tone;
  icon?: IconName;
  spin?: boolean;
  children: ReactNode;
}) {
  return (
    <span className="cs-badge" data-tone={tone}>
      {icon && <Icon name={icon} size={14} spin={spin ?? false} />}
      {children}
    </span>
  );
}

const appearance: Record<DocumentState, [Tone, IconName]> = {
  received: ['busy', 'inbox'],
  processing: ['busy', 'spin'],
  in_review: ['calm', 'eye'],
  returned: ['warn', 'back'],
  approved: ['good', 'check'],
  settling: ['busy', 'spin'],
  archived: ['good', 'done'],
  rejected: ['bad', 'refused'],
  incident: ['warn', 'alert'],
  abandoned: ['calm', 'cross'],
};

/** The status of a case, as the API names it (IN_REVIEW). */
export function StatusBadge({ status }: { status: string }) {
  const { t } = useTranslation();
  const staff = hasRole(usePerson(), ...reviewerRoles, 'auditor');
  const state = documentStateOf(status);
  const [tone, icon] = appearance[state];
  return (
    <Badge tone={tone} icon={icon} spin={icon === 'spin'}>
      {statusLabel(t, status, staff)}
    </Badge>
  );
}
