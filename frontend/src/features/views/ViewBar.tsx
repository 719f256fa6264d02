// The saved views of a list: opens one, says whether the list differs from it, and saves it.
import { Button, Group, Menu, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import {
  type Address,
  addressOf,
  inBarOrder,
  isChanged,
  parametersOf,
  type View,
} from '../../lib/view-address';
import type { ViewBarProps } from '../../ui/SavedViewsBar';
import { RefusalAlert } from '../../ui/states';
import { audienceLabel, ViewDialog } from './ViewDialog';
import { SavedViews, SaveView } from './views.graphql';
import classes from './views.module.css';

/** How many views have a button; the menu has all. */
const shownViews = 5;

export function ViewBar({ list, address, onOpen }: ViewBarProps) {
  const { t } = useTranslation();
  const [{ data }, refetch] = useQuery({
    query: SavedViews,
    variables: { list },
    requestPolicy: 'cache-and-network',
  });
  const [editing, setEditing] = useState<View | 'new' | null>(null);
  const save = useCommand(SaveView, (answer) => answer.saveView);
  const all = data?.savedViews ?? [];
  const views = inBarOrder(all);
  useDefaultView(data ? views : null, address, onOpen);
  const open = views.find(({ id }) => id === address.view) ?? null;
  const changed = open !== null && isChanged(open, address);
  const shown = views.slice(0, shownViews);
  if (open && !shown.includes(open)) shown.push(open);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const saveChanges = async (view: View) => {
    const { id, version, name, audience, audienceKey } = view;
    const parameters = parametersOf(address);
    await save.run({
      viewId: id,
      expectedVersion: String(version),
      list,
      name,
      audience,
      audienceKey,
      parameters,
    });
    reload();
  };
  return (
    <nav aria-label={t('views.label')}>
      <div className={classes.bar}>
        <ViewButton
          label={t(`views.every.${list}`)}
          current={!open && parametersOf(address).length === 0}
          onClick={() => onOpen({})}
        />
        {shown.map((view) => (
          <ViewButton
            key={view.id}
            label={view.name}
            current={view === open}
            onClick={() => onOpen(addressOf(view))}
          />
        ))}
        <ViewMenu
          all={all}
          hasMore={views.length > shown.length}
          onOpen={(view) => onOpen(addressOf(view))}
          onEdit={setEditing}
        />
        {changed && (
          <Group gap={6} wrap="wrap">
            <Text size="sm" role="status">
              {t('views.changed')}
            </Text>
            {open.changeable && (
              <Button size="compact-sm" loading={save.busy} onClick={() => void saveChanges(open)}>
                {t('views.save')}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => setEditing('new')}>
              {t('views.saveNew')}
            </Button>
            <Button size="compact-sm" variant="subtle" onClick={() => onOpen(addressOf(open))}>
              {t('views.undo')}
            </Button>
          </Group>
        )}
      </div>
      <RefusalAlert refusals={save.refusals} error={save.error} />
      {editing && (
        <ViewDialog
          list={list}
          view={editing === 'new' ? null : (all.find(({ id }) => id === editing.id) ?? editing)}
          onStale={reload}
          address={address}
          onClose={() => setEditing(null)}
          onDone={(saved) => {
            setEditing(null);
            save.clear();
            reload();
            if (saved && editing === 'new') onOpen(addressOf(saved));
            if (!saved && editing === open) onOpen({});
          }}
        />
      )}
    </nav>
  );
}

/** Opens the default view when the list is opened without filters. */
function useDefaultView(
  views: readonly View[] | null,
  address: Address,
  onOpen: (address: Address) => void,
): void {
  const waiting = useRef(Object.keys(address).length === 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the views are read
  useEffect(() => {
    if (!views || !waiting.current) return;
    waiting.current = false;
    const first = views.find((view) => view.default);
    if (first && Object.keys(address).length === 0) onOpen(addressOf(first));
  }, [views]);
}

function ViewButton(props: { label: string; current: boolean; onClick: () => void }) {
  return (
    <Button
      size="compact-sm"
      variant={props.current ? 'light' : 'default'}
      aria-current={props.current || undefined}
      onClick={props.onClick}
    >
      <span className={classes.name} title={props.label}>
        {props.label}
      </span>
    </Button>
  );
}

interface ViewMenuProps {
  all: readonly View[];
  hasMore: boolean;
  onOpen: (view: View) => void;
  onEdit: (view: View | 'new') => void;
}

function ViewMenu({ all, hasMore, onOpen, onEdit }: ViewMenuProps) {
  const { t } = useTranslation();
  const changeable = all.filter((view) => view.changeable);
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle">
          {hasMore ? t('views.more') : t('views.menu')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        <Menu.Item onClick={() => onEdit('new')}>{t('views.saveThis')}</Menu.Item>
        {all.length > 0 && <Menu.Label>{t('views.openLabel')}</Menu.Label>}
        {all.map((view) => (
          <Menu.Item key={view.id} disabled={!view.usable} onClick={() => onOpen(view)}>
            <span className={classes.name}>{view.name}</span>
            <Text size="xs" c="dimmed">
              {view.usable ? <Sharing view={view} /> : t('views.notUsable')}
            </Text>
          </Menu.Item>
        ))}
        {changeable.length > 0 && <Menu.Label>{t('views.changeLabel')}</Menu.Label>}
        {changeable.map((view) => (
          <Menu.Item key={view.id} onClick={() => onEdit(view)}>
            {t('views.change', { name: view.name })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Whom the view is shared with, and who made it. */
function Sharing({ view }: { view: View }) {
  const { t } = useTranslation();
  const audience = audienceLabel(t, view.audience, view.audienceKey ?? '');
  const parts = [
    audience,
    view.own ? null : view.owner?.name,
    view.default ? t('views.isDefault') : null,
  ];
  return parts.filter(Boolean).join(' · ');
}
