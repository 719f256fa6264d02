// The runs of language models on a case. The prompt and the answer are shown as text, because both
// may contain what a document says.
import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '../../lib/format';
import {
  callOutcome,
  costText,
  demoStub,
  durationText,
  failureOfRun,
  imageKind,
  isErased,
  type ModelCall,
  type ModelEntry,
  type ModelImage,
  type ModelRun,
  pageRanges,
  readableJSON,
} from '../../lib/model-runs';
import { Badge } from '../StatusBadge';
import { Timestamp } from '../values';
import classes from './model.module.css';

export function ModelEntries({ entries }: { entries: readonly ModelEntry[] }) {
  return (
    <ol className={classes.entries}>
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever appended
        <li key={index} className={classes.entry}>
          {entry.kind === 'run' ? <Run run={entry.run} /> : <Unasked entry={entry} />}
        </li>
      ))}
    </ol>
  );
}

function Unasked({ entry }: { entry: Extract<ModelEntry, { kind: 'unasked' }> }) {
  const { t } = useTranslation();
  return (
    <>
      <div className={classes.facts}>
        <Badge tone="calm">{t('model.notAsked')}</Badge>
        <Timestamp iso={entry.at} as="moment" />
      </div>
      <Text size="sm">
        {t(`model.unasked.${entry.outcome}`)}{' '}
        {entry.freesAt && (
          <>
            {t('model.frees')} <Timestamp iso={entry.freesAt} as="moment" />
            {t('model.stop')}
          </>
        )}
        {entry.outcome === 'budget' && !entry.freesAt && t('model.neverFrees')}
      </Text>
      <Text size="sm" c="dimmed">
        {t(`model.action.${entry.outcome}`)}
      </Text>
    </>
  );
}

function Run({ run }: { run: ModelRun }) {
  const { t } = useTranslation();
  const answered = run.outcome === 'ANSWERED';
  return (
    <>
      <div className={classes.facts}>
        <strong>{run.model}</strong>
        <Badge tone={answered ? 'calm' : 'warn'} {...(!answered && { icon: 'alert' as const })}>
          {t(answered ? 'model.answered' : 'model.failed')}
        </Badge>
        <Timestamp iso={run.at} as="moment" />
      </div>
      {run.model === demoStub && (
        <Text size="sm" fw={600}>
          {t('model.stub')}
        </Text>
      )}
      {answered ? <Text size="sm">{t('model.meaning')}</Text> : <Failed run={run} />}
      <Left run={run} />
      {run.calls.length > 0 && <Images images={run.images} />}
      <Figures run={run} />
      {isErased(run) ? (
        <Text size="sm" c="dimmed">
          {t('model.erased')}
        </Text>
      ) : (
        <>
          <Content title={t('model.prompt')} text={run.prompt} />
          {run.answer !== '' && (
            <Content title={t('model.answer')} text={readableJSON(run.answer)} />
          )}
        </>
      )}
    </>
  );
}

/** Why there is no answer, and what can be done. */
function Failed({ run }: { run: ModelRun }) {
  const { t } = useTranslation();
  const reason = failureOfRun(run);
  return (
    <>
      <Text size="sm">{reason ? t(`model.failure.${reason}`) : run.error}</Text>
      <Text size="sm" c="dimmed">
        {t('model.action.failed')}
      </Text>
    </>
  );
}

/** What left the installation. */
function Left({ run }: { run: ModelRun }) {
  const { t, i18n } = useTranslation();
  const count = new Intl.NumberFormat(i18n.language);
  if (run.calls.length === 0) return <Text size="sm">{t('model.left.nothing')}</Text>;
  const sentences = [
    t('model.left.pages', { count: run.pages, model: run.model }),
    run.imageCount > 0
      ? t('model.left.images', { count: run.imageCount })
      : t('model.left.noImages'),
    ...run.omittedImages.map(({ reason, pages }) =>
      t(`model.omitted.${reason}`, { count: pages.length, pages: pageRanges(pages) }),
    ),
    run.calls.length > 1 ? t('model.left.calls', { calls: count.format(run.calls.length) }) : '',
    run.removed > 0 ? t('model.left.removed', { count: run.removed }) : '',
  ];
  return (
    <Text size="sm" data-left>
      {sentences.filter((one) => one !== '').join(' ')}
    </Text>
  );
}

/** The images that left, with their hashes. */
function Images({ images }: { images: readonly ModelImage[] }) {
  const { t, i18n } = useTranslation();
  if (images.length === 0) return null;
  return (
    <ol className={classes.calls} aria-label={t('model.images')}>
      {images.map((image) => (
        <li key={image.page}>
          {t('model.image', {
            page: image.page,
            kind: imageKind(image.mediaType),
            width: image.width,
            height: image.height,
            size: sizeText(image.bytes, i18n.language),
          })}{' '}
          <span className={classes.hash}>{t('model.hash', { hash: image.sha256 })}</span>
        </li>
      ))}
    </ol>
  );
}

function Figures({ run }: { run: ModelRun }) {
  const { t, i18n } = useTranslation();
  const count = new Intl.NumberFormat(i18n.language);
  const rows: [string, string][] = [
    [t('model.calls'), count.format(run.calls.length)],
    [t('model.inputTokens'), count.format(Number(run.inputTokens))],
    [t('model.outputTokens'), count.format(Number(run.outputTokens))],
    [t('model.cost'), costText(run.costMicros, run.currency, i18n.language)],
    [t('model.took'), durationText(run.tookMs, i18n.language)],
  ];
  return (
    <>
      <dl className={classes.figures}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {(run.calls.length > 1 || run.outcome === 'FAILED') && <Calls calls={run.calls} />}
    </>
  );
}

/** Each request with its outcome, where it is not one that was answered. */
function Calls({ calls }: { calls: readonly ModelCall[] }) {
  const { t, i18n } = useTranslation();
  return (
    <ol className={classes.calls}>
      {calls.map((call, index) => {
        const outcome = callOutcome(call);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
          <li key={index}>
            {t('model.call', {
              outcome: outcome ? t(`model.outcome.${outcome}`) : call.outcome,
              status: call.status > 0 ? `HTTP ${call.status}` : t('model.noResponse'),
              seconds: durationText(call.ms, i18n.language),
            })}
          </li>
        );
      })}
    </ol>
  );
}

function Content({ title, text }: { title: string; text: string }) {
  const id = useId();
  return (
    <div>
      <Title order={3} id={id} className={classes.contentTitle}>
        {title}
      </Title>
      <section
        className={classes.content}
        aria-labelledby={id}
        tabIndex={0 /* scrolled by the keys */}
      >
        <pre dir="auto">{text}</pre>
      </section>
    </div>
  );
}
