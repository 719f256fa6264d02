// What a proposed text would have done to recent cases, for those who decide about it.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { nodeName } from '../../../ui/graph/process';
import { Rehearsal } from '../Rehearsal';
import { graphOf, readDesign } from './design';

interface ProposalRehearsalProps {
  proposalId: string;
  processKey: string;
  text: string;
  /** Whether the text is sound. */
  ready: boolean;
}

export default function ProposalRehearsal(props: ProposalRehearsalProps) {
  const { text } = props;
  const { t, i18n } = useTranslation();
  const names = useMemo(() => {
    const read = readDesign(text);
    const nodes = 'design' in read ? graphOf(read.design).nodes : [];
    return new Map(nodes.map((node) => [node.id, nodeName(node, { t, language: i18n.language })]));
  }, [text, t, i18n.language]);
  return <Rehearsal {...props} names={names} queues={null} />;
}
