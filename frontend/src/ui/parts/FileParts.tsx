// A part of a file shows the case whose file was split; that case shows its parts.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type PageRange, pagesOf } from '../../lib/file-parts';
import { Notice } from '../states';
import classes from './parts.module.css';

interface Linked {
  reference: string;
  /** Null if the user cannot open it. */
  case?: { id: string } | null;
}

interface PartLinks {
  parent: Linked | null;
  pages: PageRange | null;
  parts?: readonly (Linked & { merged: boolean; pages: PageRange })[];
}

export function FileParts({
  links,
  children,
}: {
  links: PartLinks;
  /** What the user can do with the parts. */
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const { parent, pages, parts = [] } = links;
  if (!parent && parts.length === 0) return null;
  return (
    <section className={`cs-card ${classes.panel}`} aria-labelledby="case-parts">
      <Title order={2} id="case-parts">
        {t('parts.title')}
      </Title>
      {parent && pages && (
        <Notice tone="calm" icon="file">
          <Text size="sm">
            {t('parts.partOf', { reference: parent.reference, ...pagesOf(pages) })}
          </Text>
          <CaseLink reference={parent.reference} id={parent.case?.id} />
        </Notice>
      )}
      {parts.length > 0 && (
        <>
          <Text size="sm">{t('parts.wasSplit')}</Text>
          <ul className={classes.list}>
            {parts.map((part) => (
              <li key={part.reference}>
                <Text span size="sm">
                  {t(part.merged ? 'parts.mergedPart' : 'parts.part', pagesOf(part.pages))}{' '}
                </Text>
                <CaseLink reference={part.reference} id={part.case?.id} />
              </li>
            ))}
          </ul>
        </>
      )}
      {children}
    </section>
  );
}

/** A link to the case, or its reference if the user cannot open it. */
function CaseLink({ reference, id }: { reference: string; id: string | undefined }) {
  const { t } = useTranslation();
  if (!id) return <span className="cs-mono">{reference}</span>;
  return (
    <Link to="/cases/$id" params={{ id: reference }}>
      {t('parts.open', { reference })}
    </Link>
  );
}
