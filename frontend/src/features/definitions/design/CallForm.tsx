// The process that a node calls, with its steps, which are edited there.
import { NativeSelect, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { drawingOf } from '../../../ui/graph/process';
import { ProcessDiagram } from '../../../ui/ProcessDiagram';
import { localizedName } from '../processes';
import { Steps } from '../Steps';
import { setCalled } from './call';
import { type Design, type DesignNode, textOf } from './design';
import { CalledSteps } from './options.graphql';
import type { DesignChoices } from './use-choices';

interface CallFormProps {
  text: string;
  design: Design;
  node: DesignNode;
  choices: DesignChoices;
  onChange: (text: string, what: string) => void;
}

export function CallForm({ text, design, node, choices, onChange }: CallFormProps) {
  const { t, i18n } = useTranslation();
  const key = textOf(node.attributes.process);
  const [{ data }] = useQuery({ query: CalledSteps, variables: { key }, pause: key === '' });
  const called = data?.processDefinitions.nodes[0];
  const known = choices.callable.some((one) => one.key === key);
  const choose = (chosen: string) => {
    const process = choices.callable.find((one) => one.key === chosen);
    if (process) onChange(setCalled(text, design, node, process), `${node.id}/process`);
  };
  return (
    <>
      <NativeSelect
        size="sm"
        label={t('design.called')}
        value={key}
        error={known ? undefined : t('design.notCallable', { key })}
        data={[
          ...(known ? [] : [{ value: key, label: key }]),
          ...choices.callable.map((one) => ({
            value: one.key,
            label: localizedName(one.titles, i18n.language, one.title),
          })),
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {known && called && (
        <details>
          <summary>{t('design.calledSteps', { version: called.version })}</summary>
          {called.graph && (
            <ProcessDiagram
              diagram={drawingOf(
                { ...called.graph, attributes: called.attributes },
                { t, language: i18n.language },
              )}
              label={t('design.calledDiagram', { key })}
            />
          )}
          <Steps nodes={called.nodes} />
        </details>
      )}
      {known && (
        <Text size="xs">
          <Link to="/definitions/$key" params={{ key }}>
            {t('design.openCalled')}
          </Link>
        </Text>
      )}
    </>
  );
}
