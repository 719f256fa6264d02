import { expect, it } from 'vitest';
import { beginAction } from '../lib/trace';
import { makeClient } from './client';

it('sends the requests of an action with one trace id', async () => {
  const sent: string[] = [];
  const client = makeClient((async (_address: unknown, options?: RequestInit) => {
    sent.push(new Headers(options?.headers).get('traceparent') ?? '');
    return new Response('{"data":{"__typename":"Query"}}', {
      headers: { 'Content-Type': 'application/json' },
    });
  }) as typeof fetch);
  const ask = () =>
    client.query('{ __typename }', {}, { requestPolicy: 'network-only' }).toPromise();
  beginAction();
  await ask();
  await ask();
  beginAction();
  await ask();
  expect(sent).toHaveLength(3);
  for (const header of sent) expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  const traces = sent.map((header) => header.split('-')[1]);
  expect(traces[1]).toBe(traces[0]);
  expect(traces[2]).not.toBe(traces[0]);
});
