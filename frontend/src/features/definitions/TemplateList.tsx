// Templates and built-in definitions from which a new process can start.
import { Button, Text, Title } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { Processes } from './definitions.graphql';
import classes from './definitions.module.css';
import { fromTemplate, loadTemplates, type Template } from './templates';

export function TemplateList({ onChoose }: { onChoose: (text: string, key: string) => void }) {
  const { t, i18n } = useTranslation();
  const [templates, setTemplates] = useState<readonly Template[]>([]);
  const [{ data }] = useQuery({ query: Processes });
  useEffect(() => {
    let shown = true;
    void loadTemplates().then((all) => shown && setTemplates(all));
    return () => {
      shown = false;
    };
  }, []);
  if (!data || templates.length === 0) return null;
  const nodes = [...data.processDefinitions.nodes, ...data.proposals.nodes];
  const taken = new Set(nodes.map(({ key }) => key));
  const local = (texts: Record<string, string>) => texts[i18n.language] ?? texts.en ?? '';
  return (
    <section className="cs-card" aria-labelledby="templates">
      <Title order={2} id="templates" mb="xs">
        {t('definitions.templates.title')}
      </Title>
      <ul className={classes.templates}>
        {templates.map((template) => (
          <li key={template.key}>
            <Text fw={600}>{local(template.title)}</Text>
            <Text size="sm">{local(template.about) || t('definitions.templates.builtIn')}</Text>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('definitions.templates.use', { title: local(template.title) })}
              onClick={() => onChoose(fromTemplate(template, taken), template.key)}
            >
              {t('definitions.templates.start')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
