// A rehearsal that is made, and reads what it needs, after it was opened.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

export function RehearsalDetails({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpened((before) => before || open)}>
      <summary>{t('rehearsal.title')}</summary>
      {opened && children}
    </details>
  );
}
