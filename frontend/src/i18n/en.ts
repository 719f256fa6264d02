// The English messages. A new feature adds its file here and in the other language.

import admin from './en/admin.json';
import app from './en/app.json';
import audit from './en/audit.json';
import authority from './en/authority.json';
import caseMessages from './en/case.json';
import definitions from './en/definitions.json';
import delegations from './en/delegations.json';
import events from './en/events.json';
import incidents from './en/incidents.json';
import intake from './en/intake.json';
import life from './en/life.json';
import manage from './en/manage.json';
import problems from './en/problems.json';
import queue from './en/queue.json';
import refusals from './en/refusals.json';
import review from './en/review.json';
import schedule from './en/schedule.json';
import ui from './en/ui.json';

export const messages = {
  app,
  ui,
  life,
  events,
  refusals,
  intake,
  case: caseMessages,
  problems,
  queue,
  review,
  manage,
  incidents,
  definitions,
  delegations,
  authority,
  schedule,
  audit,
  admin,
};
