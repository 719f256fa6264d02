// The sign-in page.
import { Group, Text, Title, UnstyledButton } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { languages, setLanguage } from '../i18n';
import { session, startPage } from '../lib/session';
import { useStore } from '../lib/store';
import { Notice } from '../ui/states';
import classes from './app.module.css';
import { findOptions } from './auth';
import { SignInForm } from './SignInForm';

// In the same chunk, because another one would split what both share.
export { ChoosePassword } from './ChoosePassword';

export function SignIn() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const { back, refused } = useSearch({ from: '/sign-in' });
  const current = useStore(session);
  useEffect(() => {
    void findOptions();
  }, []);
  useEffect(() => {
    if (current.state !== 'signedIn') return;
    void navigate({ to: back ?? startPage(current.person), replace: true });
  }, [current, back, navigate]);
  return (
    <main className={classes.front}>
      <div className={`cs-card ${classes.frontCard}`}>
        <Group gap="sm" mb={4}>
          <img src="/mark.svg" width={34} height={34} alt="" />
          <Title order={1}>{t('app.name')}</Title>
        </Group>
        <Text c="dimmed" mb="lg">
          {t('app.tagline')}
        </Text>
        {refused && (
          <div role="alert">
            <Notice tone="bad" icon="alert">
              <Text size="sm">
                {t(`app.signIn.refused.${refused}` as 'app.signIn.refused.other', {
                  defaultValue: t('app.signIn.refused.other'),
                })}
              </Text>
            </Notice>
          </div>
        )}
        <SignInForm back={back ?? '/'} onDone={() => undefined} />
        <Group gap="md" mt="lg" justify="center">
          {languages.map((language) => (
            <UnstyledButton
              key={language}
              lang={language}
              fz="sm"
              aria-pressed={i18n.language === language}
              onClick={() => void setLanguage(language)}
            >
              <Text
                span
                size="sm"
                td={i18n.language === language ? 'none' : 'underline'}
                fw={i18n.language === language ? 600 : 400}
              >
                {t(`app.languages.${language}`)}
              </Text>
            </UnstyledButton>
          ))}
        </Group>
      </div>
    </main>
  );
}
