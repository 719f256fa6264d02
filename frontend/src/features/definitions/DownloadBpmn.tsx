// Downloads a version of a process as a BPMN 2.0 file.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { failureMessage } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { saveFile } from '../../lib/save-file';
import { Notice } from '../../ui/states';
import { ProcessAsBpmn } from './bpmn.graphql';

export function DownloadBpmn({ processKey, version }: { processKey: string; version: number }) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const download = async () => {
    setBusy(true);
    const { data, error } = await client
      .query(ProcessAsBpmn, { key: processKey, version }, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setFailure(error ? failureOf(error) : null);
    const found = data?.processDefinitions.nodes[0]?.bpmn;
    if (found) {
      saveFile(
        new Blob([found], { type: 'application/xml' }),
        `${processKey}-${String(version)}.bpmn`,
      );
    }
  };
  return (
    <>
      <Button variant="default" size="xs" loading={busy} onClick={() => void download()}>
        {t('bpmn.download')}
      </Button>
      {failure && (
        <Notice tone="warn" live>
          {failureMessage(t, i18n.language, failure).message}
        </Notice>
      )}
    </>
  );
}
