// The dialog shown when the session has ended. The page behind it and its unsaved input stay.

import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { refreshAll } from '../graphql/client';
import { session } from '../lib/session';
import { useStore } from '../lib/store';
import { whenOnline } from '../lib/when-online';
import { LoadingState } from '../ui/states';
import { findOptions, signOut } from './auth';

// Loaded when a session has ended: 3 kB less of a signed-in person's first visit.
const SignInForm = lazy(() =>
  whenOnline(async () => ({ default: (await import('./SignInForm')).SignInForm })),
);

export function SessionEndedDialog() {
  const { t } = useTranslation();
  const client = useClient();
  const current = useStore(session);
  const ended = current.state === 'ended';
  useEffect(() => {
    if (ended) void findOptions();
  }, [ended]);
  return (
    <Modal
      opened={ended}
      // Above any dialog that the page has open, because that dialog's content stays.
      zIndex={1000}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={t('app.ended.title')}
    >
      {current.state === 'ended' && (
        <Stack>
          <Text>{t('app.ended.text')}</Text>
          <Suspense fallback={<LoadingState lines={3} />}>
            <SignInForm email={current.person.email} onDone={() => refreshAll(client)} />
          </Suspense>
          <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
            {t('app.ended.other', { name: current.person.name })}
          </Anchor>
        </Stack>
      )}
    </Modal>
  );
}
