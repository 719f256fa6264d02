// Whether the findings are folded to one line, which leaves a low window for the fields.
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** The key that opens and folds the findings, also while a field has the focus. */
export const unfoldKey = 'F4';

/** Windows beside whose page the list leaves hardly a field; at 1440x900 the findings stay open. */
const lowWindow = '(min-width: 62.01em) and (max-height: 50em)';

/**
 * The findings fold when a field gets the focus. Only the user opens them again, because a line that moves between
 * pressing and releasing a button would lose the click.
 */
export function useFoldedFindings() {
  const { t } = useTranslation();
  const low = useMediaQuery(lowWindow) ?? false;
  const [folded, setFolded] = useState(false);
  return {
    folded: low && folded,
    onOpen: () => setFolded(false),
    onField: () => setFolded(true),
    keys: low
      ? [
          {
            keys: unfoldKey,
            always: true,
            label: t('review.keys.findings'),
            run: () => setFolded((now) => !now),
          },
        ]
      : [],
  };
}
