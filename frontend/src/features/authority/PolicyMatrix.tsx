// What each role may do by a text of the policy: with documents of which type, up to which amount. The server
// computes it with the rules and limits that decide. For administrators, a cell opens its form.
import { Button, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuthorityQuery } from '../../graphql/generated/graphql';
import { documentTypeLabels } from '../../lib/labels';
import classes from './authority.module.css';
import { CellDialog, type Term } from './CellDialog';
import { type Cell, type Entry, entryWords, signs, typesOf, useCellWords } from './cell-words';
import { usePolicyMatrix } from './use-policy-matrix';

type Role = AuthorityQuery['roles'][number];

interface PolicyMatrixProps {
  text: string;
  terms: readonly Term[];
  roles: readonly Role[];
  limits: AuthorityQuery['limits'];
  /** Null if the user may not change the policy. */
  onChange: ((text: string) => void) | null;
}

export function PolicyMatrix({ text, terms, roles, limits, onChange }: PolicyMatrixProps) {
  const { t } = useTranslation();
  const [type, setType] = useState('');
  const [open, setOpen] = useState<{ role: Role; term: Term } | null>(null);
  const { matrix, state } = usePolicyMatrix(text);
  const words = useCellWords();
  if (!matrix)
    return (
      <Text size="sm" role="status">
        {t(`authority.matrix.${state === 'ready' ? 'loading' : state}`)}
      </Text>
    );
  const cells = new Map(matrix.cells.map((cell) => [`${cell.role} ${cell.action}`, cell]));
  const types = matrix.types.map(({ name }) => name);
  return (
    <>
      <NativeSelect
        className={classes.filter}
        label={t('authority.matrix.type')}
        value={type}
        onChange={({ currentTarget }) => setType(currentTarget.value)}
        data={[
          { value: '', label: t('authority.matrix.allTypes') },
          ...matrix.types.map(({ name, taken }) => ({
            value: name,
            label: taken
              ? documentTypeLabels(t, [name])
              : t('authority.matrix.notTaken', { type: documentTypeLabels(t, [name]) }),
          })),
        ]}
      />
      <Text size="sm" my="xs">
        {t(onChange ? 'authority.matrix.hint' : 'authority.matrix.readHint')}
      </Text>
      <section
        className={classes.matrix}
        aria-label={t('authority.matrix.title')}
        aria-busy={state !== 'ready'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
        tabIndex={0}
      >
        <table className="cs-table">
          <thead>
            <tr>
              <th>{t('authority.matrix.action')}</th>
              {roles.map((role) => (
                <th key={role.name} scope="col">
                  {words.role(role)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {terms.map((term) => (
              <tr key={term.action}>
                <th scope="row">
                  {words.action(term.action)}
                  {term.limited && <span aria-hidden="true"> ≤</span>}
                </th>
                {roles.map((role) => (
                  <td key={role.name}>
                    <CellContent
                      cell={cells.get(`${role.name} ${term.action}`)}
                      type={type}
                      subject={[words.action(term.action), words.role(role)]}
                      onOpen={onChange ? () => setOpen({ role, term }) : null}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {state === 'broken' && (
        <Text size="sm" role="status">
          {t('authority.matrix.broken')}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {t('authority.matrix.legend')}
      </Text>
      {open && onChange && (
        <CellDialog
          text={text}
          role={{ name: open.role.name, label: words.role(open.role) }}
          term={open.term}
          limits={limits}
          types={types}
          type={type}
          roles={roles.map(({ name }) => name)}
          onApply={(changed) => {
            setOpen(null);
            if (changed !== text) onChange(changed);
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

interface CellContentProps {
  cell: Cell | undefined;
  type: string;
  /** The action and the role. */
  subject: [string, string];
  onOpen: (() => void) | null;
}

function CellContent({ cell, type, subject, onOpen }: CellContentProps) {
  const { t, i18n } = useTranslation();
  if (!cell) return null;
  const { main, others } = typesOf(cell, type);
  const words = (entry: Entry) => entryWords(t, i18n.language, cell, entry);
  const label = t('authority.matrix.cell', {
    action: subject[0],
    role: subject[1],
    state: [
      words(main).spoken,
      ...others.map((one) => `${documentTypeLabels(t, [one.documentType])}: ${words(one).spoken}`),
    ].join('; '),
  });
  const content = (
    <span className={classes.cell}>
      <span aria-hidden="true">{signs[main.verdict]}</span>
      {words(main).amount && (
        <span aria-hidden="true" className={classes.amount}>
          {words(main).amount}
        </span>
      )}
      {others.map((one) => (
        <span key={one.documentType} aria-hidden="true" className={classes.exception}>
          {documentTypeLabels(t, [one.documentType])}: {signs[one.verdict]} {words(one).amount}
        </span>
      ))}
    </span>
  );
  // The name is text of the cell, not a label beside other words that are seen.
  const named = (
    <>
      {content}
      <span className="cs-visually-hidden">{label}</span>
    </>
  );
  if (!onOpen) return named;
  return (
    <Button
      variant={main.verdict === 'NONE' ? 'subtle' : 'default'}
      size="compact-sm"
      className={classes.cellButton ?? ''}
      data-verdict={main.verdict}
      onClick={onOpen}
    >
      {named}
    </Button>
  );
}
