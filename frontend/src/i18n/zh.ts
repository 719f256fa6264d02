// The Chinese messages. A new feature adds its file here and in the other language.

import admin from './zh/admin.json';
import app from './zh/app.json';
import audit from './zh/audit.json';
import authority from './zh/authority.json';
import caseMessages from './zh/case.json';
import definitions from './zh/definitions.json';
import delegations from './zh/delegations.json';
import events from './zh/events.json';
import incidents from './zh/incidents.json';
import intake from './zh/intake.json';
import life from './zh/life.json';
import manage from './zh/manage.json';
import problems from './zh/problems.json';
import queue from './zh/queue.json';
import refusals from './zh/refusals.json';
import review from './zh/review.json';
import schedule from './zh/schedule.json';
import ui from './zh/ui.json';

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
