import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ButtonWithReason } from '../../ui/buttons';
import type { TaskProps } from './QualityTaskPanel';
import { ReleaseQualitySample } from './quality.graphql';
import { TaskRefusal } from './TaskRefusal';

/** Returns the sample, so that another person can check it. */
export function ReleaseButton({ task, onDone }: TaskProps) {
  const { t } = useTranslation();
  const command = useCommand(ReleaseQualitySample, (data) => data.releaseQualitySample);
  const send = async () => {
    if (await command.run({ sampleId: task.id })) onDone(t('quality.released'));
  };
  return (
    <>
      <ButtonWithReason
        disabledReason={null}
        variant="default"
        loading={command.busy}
        onClick={() => void send()}
      >
        {t('quality.release')}
      </ButtonWithReason>
      <TaskRefusal refusals={command.refusals} error={command.error} />
    </>
  );
}
