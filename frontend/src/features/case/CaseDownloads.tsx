// The menu of everything that can be downloaded of a case: files, archive copies, result and evidence.
import { Button, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { resultAddress } from '../../lib/file-addresses';
import { hasRole, usePerson } from '../../lib/session';
import { Icon } from '../../ui/Icon';
import type { CaseData } from './IncidentPanel';

export function CaseDownloads({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const auditor = hasRole(usePerson(), 'auditor');
  const files = downloadsOf(caseData, auditor);
  if (files.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="file" size={16} />}>
          {t('case.downloads.button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown maw={340}>
        {files.map(({ kind, path, fileName, revision }) => (
          <Menu.Item key={path} component="a" href={path} download={fileName ?? true}>
            {t(`case.downloads.${kind}`, { revision })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface Download {
  kind: 'original' | 'earlier' | 'copy' | 'result' | 'pack' | 'manifest';
  path: string;
  fileName?: string;
  revision?: number;
}

/**
 * The newest file first, then what was made from it, then evidence and earlier files. The evidence pack is for
 * auditors.
 */
export function downloadsOf(
  caseData: Pick<CaseData, DownloadFields>,
  auditor: boolean,
): Download[] {
  const [newest, ...earlier] = caseData.documents;
  const result = resultAddress(newest?.path);
  const all: Download[] = [];
  if (newest) all.push({ kind: 'original', path: newest.path, fileName: newest.fileName });
  if (newest?.archiveCopyPath) all.push({ kind: 'copy', path: newest.archiveCopyPath });
  if (result) all.push({ kind: 'result', path: result });
  if (auditor && caseData.packPath) all.push({ kind: 'pack', path: caseData.packPath });
  if (caseData.manifestPath) all.push({ kind: 'manifest', path: caseData.manifestPath });
  for (const { revision, path, fileName } of earlier)
    all.push({ kind: 'earlier', path, fileName, revision });
  return all;
}

type DownloadFields = 'documents' | 'packPath' | 'manifestPath';
