// Every mutation of the pages names the test in which two people use its form at the same time, or says why
// there is none: it is about one's own data, it adds something, or the second of two is refused by its state.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sources } from './source';

type Played = Record<string, Record<string, string>>;

/** By file of stories: parts of the titles, each with its mutations. */
const stories: Played = {
  'two-people': {
    'two people write notes at the same time': 'addNote',
    'a document that is resubmitted in another session': 'resubmitCase',
    'another person has split it': 'splitCase',
  },
  'two-people-forms': {
    'of two who set the retention period': 'setRetention',
    'values that were typed for an incident stay': 'abandonCase enterFields',
    'a reason for a difference stays': 'stateOrderGround',
    'is about the values that the dialog shows': 'clearDuplicate',
    'of two who lower a limit': 'setLimit',
  },
  'two-people-settings': {
    'of two who set the risk of a country': 'setCountryRisks',
    'of two who set an exchange rate': 'setExchangeRates',
    'a proposal that another administrator has withdrawn':
      'confirmControlChange withdrawControlChange',
    'a queue: what another person changed': 'setQueueAssignment',
    'a calendar: what another person changed': 'setCalendar',
    'a person: a queue that another administrator took': 'putPerson',
    'a connector that another administrator has paused': 'pauseConnector',
    'of two proposals of one amount': 'proposeDrawMark',
  },
  'two-people-reviews': {
    'of two who claim a review': 'claimReview',
    'when the same person has returned the document': 'decideReview',
    'is reassigned only with its present values': 'reassignReviews',
    'of two who merge the parts': 'mergeParts',
  },
  'two-people-cases': {
    'of two who change a view': 'saveView',
    'of two who correct an archived case': 'correctArchivedCase',
    'of two who propose to lift a hold': 'placeLegalHold proposeHoldLift',
    'a version that is no longer in force is not the base': 'restoreRuleSet',
    'a text that another administrator has withdrawn': 'publishRuleSet withdrawRuleSet',
  },
  'two-people-work': {
    'of two who end a delegation': 'endDelegation',
    'of two who delegate to each other': 'createDelegation',
    'of a person and a manager who set an absence': 'setOutOfOffice endOutOfOffice',
    'of two who take the only sample': 'takeQualitySample',
  },
  'two-people-proposals': {
    'a policy that another administrator has withdrawn': 'publishPolicy withdrawPolicy',
    'a policy that is proposed on a version': 'proposePolicy',
    'a policy that is restored': 'restorePolicy',
    'of two who create a role': 'putRole',
  },
  'proposal-comments': {
    'discuss a proposal and change it at the same time':
      'addProposalComment proposeProcessDefinition resolveProposalComment',
  },
  'review-two': {
    'a colleague changed it in between': 'correctFields',
  },
  undo: { 'in two windows an approval is undone once': 'undoDecision' },
  'line-items': { 'a change by the document afterwards': 'correctLineItems' },
  selection: {
    'changes by others, which are refused': 'approveReviews claimReviews releaseReviews',
  },
};

/** Tests of the service in which two people send the command: the page has no form that could be outdated. */
const services: Played = {
  'casework/second_sender_test.go': {
    TestTheSecondOfTwoOnOneIncident: 'retryIncident replaceDocument',
  },
  'casework/second_people_test.go': {
    TestTheSecondOfTwoMigrations: 'proposeMigration undoMigration',
  },
  'casework/review_claim_test.go': { TestClaimNextUnderRace: 'claimNextReview' },
  'casework/review_override_test.go': { TestSecondPersonOverrides: 'overrideFindings' },
  'casework/publish_rehearsals_test.go': {
    TestConcurrentAndRepeatedRehearsals: 'rehearseProposal',
  },
};

/** Mutations with the form, the dialog and the commands of one that a story plays. */
const likeAnother: Record<string, string> = {
  publishRuleSet: 'publishProcessDefinition publishDocumentType',
  withdrawRuleSet: 'withdrawProcessDefinition withdrawDocumentType',
  restoreRuleSet: 'restoreProcessDefinition restoreDocumentType',
  proposeProcessDefinition: 'proposeRuleSet proposeDocumentType',
  correctFields: 'confirmFields',
  stateOrderGround: 'acceptOrder confirmOrderGround',
  proposeDrawMark:
    'proposeSampleShare proposeProcessOwners proposeErasure putConnector resetSignIn',
  pauseConnector: 'resumeConnector',
  putPerson: 'setSkills setApiTokenRequests',
};

/** Why no other person has the same form, or why the later of two overwrites nothing. */
const alone: Record<string, string> = {
  'own data, which no other person has':
    'createApiToken revokeApiToken declareOwnAccount markNoticesRead retryMailAddress watchCase withdrawNote',
  'a choice of one person, each of its own, of which the later one is meant':
    'setNoticeCalendar setNoticeMail setPersonSetting setDefaultView',
  'only the holder of the review sends it; the draft of the window that typed last is kept':
    'heartbeatReview prepareApproval releaseReview saveDraft',
  'only the holder of the sample sends it': 'checkQualitySample releaseQualitySample',
  'only the submitter of the returned case sends it': 'addDocument restateOrder',
  'adds something of its own': 'submitDocument declareConflict importConflicts groupParty',
  'changes nothing': 'testConnector reconcileConnector',
  'the second of two is refused, because the thing has ended or the step was taken':
    'endConflict endOperatorRequest reviewOperatorRequest revokeLesson deleteView settleQualitySample ' +
    'pauseDeadlines resumeDeadlines retryDelivery skipDelivery replayConnector decideAsOwner putGroupMapping',
};

const words = (text: string) => text.split(' ').filter((word) => word !== '');
const readStory = (file: string) =>
  readFileSync(join(root, 'test/browser', `${file}.story.ts`), 'utf8');

/** The mutations that the documents of the pages send. */
function sentMutations(): Set<string> {
  const texts = sources().filter(({ path }) => path.endsWith('.graphql.ts'));
  const found = texts.flatMap(({ text }) =>
    [...text.matchAll(/graphql\(`\s*mutation [^`]*`/g)].flatMap(([document]) =>
      [...document.matchAll(/(\w+)\(input: \$\w+\)/g)].map(([, name = '']) => name),
    ),
  );
  return new Set(found);
}

const playedIn = (all: Played) =>
  Object.values(all).flatMap((tests) => Object.values(tests).flatMap(words));

test('every mutation of the pages names the test of two people, or says why there is none', () => {
  const sent = sentMutations();
  expect(sent.size).toBeGreaterThan(90);
  const like = Object.values(likeAnother).flatMap(words);
  const listed = [
    ...playedIn(stories),
    ...playedIn(services),
    ...like,
    ...Object.values(alone).flatMap(words),
  ];
  expect([...sent].filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => !sent.has(name))).toEqual([]);
  expect(listed.filter((name, at) => listed.indexOf(name) !== at)).toEqual([]);
  const played = playedIn(stories);
  expect(Object.keys(likeAnother).filter((name) => !played.includes(name))).toEqual([]);
});

test('the stories and tests of two people exist', () => {
  const files = readdirSync(join(root, 'test/browser'));
  const missing = Object.entries(stories).flatMap(([file, tests]) => {
    if (!files.includes(`${file}.story.ts`)) return [file];
    const titles = [...readStory(file).matchAll(/\btest\(\s*(['`])(.*?)\1/g)].map(([, , t]) => t);
    return Object.keys(tests).filter((part) => !titles.some((title) => title?.includes(part)));
  });
  const untested = Object.entries(services).flatMap(([file, tests]) => {
    const text = readFileSync(join(root, '..', file), 'utf8');
    return Object.keys(tests).filter((name) => !text.includes(`func ${name}(`));
  });
  expect([...missing, ...untested]).toEqual([]);
});
