// A program outside that does the stage `translate` of document_approval.yaml: it leases tasks by their topic over GraphQL,
// translates what was read word by word from a small glossary (the place of a real translation service), and hands the text
// in as fields. It needs Node 18 or newer and no package.
//
// Settings: COUNTERSIGN_URL, COUNTERSIGN_TOKEN (of a person with the role external_worker and the queue `translation`),
// and, to watch it at work, TRANSLATION_PAUSE_MS: how long a task takes at least.
import { setTimeout as sleep } from 'node:timers/promises';
import { glossary } from './glossary.mjs';

const { COUNTERSIGN_URL: url = 'http://127.0.0.1:8080', COUNTERSIGN_TOKEN: token = '' } = process.env;
const pause = Number(process.env.TRANSLATION_PAUSE_MS ?? 0);
const idle = 500; // ms between two looks when there is nothing to do
const name = `translation-worker ${process.pid}`;

let leaving = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => { leaving = true; });

/** Asks the API, in the trace if there is one; a refusal is an Error with the refusal's code. */
async function ask(query, variables, traceparent) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${token}`,
      ...(traceparent && { traceparent }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors?.length) throw Object.assign(new Error(errors[0].message), { code: errors[0].extensions?.code });
  const [payload] = Object.values(data);
  const [refusal] = payload.userErrors;
  if (refusal) throw Object.assign(new Error(refusal.message), { code: refusal.code });
  return payload;
}

const refusal = 'userErrors { ... on Refusal { code message } }';

const lease = (topic) => ask(
  `mutation Lease($input: LeaseExternalTasksInput!) { leaseExternalTasks(input: $input) {
    tasks { id caseId leaseToken leaseUntil reference attempt correlationId traceparent document { fileName pages { number text } } } ${refusal} } }`,
  { input: { topic, worker: name, most: 1 } },
);
const extend = (held, trace) => ask(
  `mutation Extend($input: ExtendExternalTaskInput!) { extendExternalTask(input: $input) { leaseUntil ${refusal} } }`,
  { input: { lease: held } },
  trace,
);
const complete = (held, trace, fields) => ask(
  `mutation Complete($input: CompleteExternalTaskInput!) { completeExternalTask(input: $input) { done ${refusal} } }`,
  // The lease's own token as key: asking again after a lost answer leads to the same.
  { input: { lease: held, outcome: 'done', fields, idempotencyKey: held.leaseToken } },
  trace,
);
const fail = (held, trace, code, message) => ask(
  `mutation Fail($input: FailExternalTaskInput!) { failExternalTask(input: $input) { done ${refusal} } }`,
  { input: { lease: held, code, message, idempotencyKey: held.leaseToken } },
  trace,
);

/** The text in English, and how many of its words the glossary knows. */
function translate(text) {
  let known = 0;
  const english = text.replace(/\p{L}+/gu, (word) => {
    const found = glossary[word.toLowerCase()];
    if (!found) return word;
    known += 1;
    return word[0] === word[0].toUpperCase() ? found[0].toUpperCase() + found.slice(1) : found;
  });
  return { english, known };
}

/** Does one task; a sign of life every third of the lease while it works. */
async function work(task) {
  const held = { caseId: task.caseId, taskId: task.id, leaseToken: task.leaseToken };
  const trace = task.traceparent; // the commands on the task continue the trace of its case
  console.log(`working on ${task.reference}, attempt ${task.attempt}`);
  const beat = setInterval(() => extend(held, trace).catch((error) => console.error(`not extended: ${error.message}`)), 5000);
  try {
    await sleep(pause);
    const text = task.document.pages.map((page) => page.text).join('\n').slice(0, 18_000);
    if (text.trim() === '') {
      await fail(held, trace, 'UnsupportedFile', 'There is no text to translate.');
      return;
    }
    const { english, known } = translate(text);
    await complete(held, trace, [
      { name: 'translated_text', value: english, confidence: 0.5 },
      { name: 'translated_words', value: String(known) },
    ]);
    console.log(`translated ${task.reference}: ${known} words, correlation id ${task.correlationId}`);
  } catch (error) {
    // LeaseLost: another has it now. Anything else: the lease runs out, and the task is offered again.
    console.error(`${task.reference}: ${error.code ?? ''} ${error.message}`);
  } finally {
    clearInterval(beat);
  }
}

console.log(`${name} asks ${url} for work`);
while (!leaving) {
  let tasks = [];
  try {
    ({ tasks } = await lease('translation'));
  } catch (error) {
    console.error(`no work to be had: ${error.code ?? ''} ${error.message}`);
  }
  for (const task of tasks) await work(task);
  if (tasks.length === 0) await sleep(idle);
}
