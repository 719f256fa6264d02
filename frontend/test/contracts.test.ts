// Compiles consumers of the events against the npm package in contracts/npm.
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './source';

const consumer = `
import type { CountersignEvent, CountersignNotice, EventData, EventType } from '@countersign/events';

export function line(event: CountersignEvent): string | undefined {
  switch (event.type) {
    case 'case.approved':
      return event.data?.automatic ? 'automatic' : event.data?.by;
    case 'case.archived':
      return event.data?.manifestSha256;
    case 'case.rejected':
      return event.data?.reason;
    case 'review.decided':
      return event.data?.verdict === 'approve' ? event.data.reviewId : undefined;
    default:
      return event.cursor;
  }
}
export const caseOf = (event: CountersignNotice): string | undefined => event.data.caseId;
export const kinds: EventType[] = ['case.approved', 'case.status_changed'];
export const body: EventData['case.archived'] = { manifestKey: 'k', manifestSha256: 's' };
`;

const parsed = new Map<string, ts.SourceFile | undefined>();

/** The errors of TypeScript in a program of one file. */
function errorsOf(text: string): string[] {
  const file = join(root, 'test', 'consumer.ts'); // only in memory
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    paths: { '@countersign/events': [join(root, '..', 'contracts', 'npm')] },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    if (name === file) return ts.createSourceFile(name, text, target);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, target, ...rest));
    return parsed.get(name);
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map((found) => ts.flattenDiagnosticMessageText(found.messageText, '\n'));
}

test('a consumer compiles', () => {
  expect(errorsOf(consumer)).toEqual([]);
});

test.each([
  [
    'a field of another type of event',
    'event.data?.manifestSha256',
    'event.data?.reviewId',
    'reviewId',
  ],
  ['an unknown type', "'case.status_changed'", "'case.closed'", 'not assignable'],
  ['an unknown value', "=== 'approve'", "=== 'agree'", 'no overlap'],
  ['an erased body', 'event.data?.reason', 'event.data.reason', 'possibly'],
  ['a body with a missing field', "manifestKey: 'k', ", '', 'manifestKey'],
])('%s does not compile', (_, right, wrong, message) => {
  // A wrong value leaves no type of its event, so that it can have a second error.
  const [first, ...others] = errorsOf(consumer.replace(right, wrong));
  expect(first).toContain(message);
  expect(others.every((error) => error.includes('never'))).toBe(true);
});
