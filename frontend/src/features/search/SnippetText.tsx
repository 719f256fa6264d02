// The text of a snippet with the found words marked. The text is of a document: it is shown as text only, and
// its direction does not reach what is around it.
import { useTranslation } from 'react-i18next';
import { kindLabel, piecesOf, type Snippet } from './hits';
import classes from './search.module.css';

export function SnippetText({ snippet }: { snippet: Snippet }) {
  const { t } = useTranslation();
  return (
    <>
      <span className={classes.kind}>{kindLabel(t, snippet)}</span>{' '}
      <bdi>
        {piecesOf(snippet.text, snippet.marks).map(({ from, text, found }) =>
          found ? (
            <mark key={from} className={classes.mark}>
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </bdi>
    </>
  );
}
