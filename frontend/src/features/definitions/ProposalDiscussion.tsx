// The comments on a proposal of a process, rule set or document type, about parts by their names.
import { useTranslation } from 'react-i18next';
import { useRuleTitles } from '../../graphql/use-rule-titles';
import { Discussion, type DiscussionProps } from '../../ui/discussion/Discussion';
import { useStepTitles } from './use-step-titles';
import type { Kind } from './version-commands';

const discussions = { process: AboutSteps, rules: AboutRules, types: Discussion };

interface About extends DiscussionProps {
  /** The key of the process, rule set or document type. */
  about: string;
}

export function ProposalDiscussion({ kind, ...props }: About & { kind: Kind }) {
  const Shown = discussions[kind];
  return <Shown {...props} />;
}

function AboutSteps({ about, ...props }: About) {
  return <Discussion {...props} names={useStepTitles(about)} />;
}

function AboutRules(props: About) {
  const { i18n } = useTranslation();
  return <Discussion {...props} names={useRuleTitles(i18n.language)} />;
}
