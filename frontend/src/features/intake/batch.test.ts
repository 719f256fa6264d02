import { describe, expect, it } from 'vitest';
import { fromCallback } from 'xstate';
import { Batch } from './batch';
import { type Sending, type UploadEvent, uploadMachine } from './upload-machine';

const limits = { maxBytes: 1_000, mediaTypes: ['application/pdf', 'application/xml'] };
const pdf = (name: string, size = 10) =>
  new File([new Uint8Array(size)], name, { type: 'application/pdf' });

function make() {
  const sending = new Map<string, (event: UploadEvent) => void>();
  let maxConcurrent = 0;
  const machine = uploadMachine.provide({
    actors: {
      send: fromCallback<UploadEvent, Sending>(({ sendBack, input }) => {
        sending.set(input.file.name, sendBack);
        maxConcurrent = Math.max(maxConcurrent, sending.size);
        return () => sending.delete(input.file.name);
      }),
    },
  });
  return { batch: new Batch(machine), sending, maxConcurrent: () => maxConcurrent };
}

const states = (batch: Batch) => batch.items.get().map(({ actor }) => actor.getSnapshot().value);

describe('a batch of files', () => {
  it('sends three of two hundred files concurrently', () => {
    const { batch, sending, maxConcurrent } = make();
    batch.add(
      Array.from({ length: 200 }, (_, index) => pdf(`${index}.pdf`)),
      limits,
    );
    for (let round = 0; round < 500 && sending.size > 0; round++) {
      const [name, respond] = [...sending][0] ?? [];
      respond?.({ type: 'received', caseId: name ?? '', reference: '', duplicates: [] });
    }
    expect(maxConcurrent()).toBe(3);
    expect(new Set(states(batch))).toEqual(new Set(['received']));
  });

  it('refuses files that the browser can check, and sends the rest', () => {
    const { batch, sending } = make();
    batch.add(
      [
        pdf('empty.pdf', 0),
        pdf('large.pdf', 2_000),
        new File(['x'], 'a.docx', { type: 'application/msword' }),
        pdf('good.pdf'),
      ],
      limits,
    );
    expect(states(batch)).toEqual(['refused', 'refused', 'refused', 'sending']);
    expect([...sending.keys()]).toEqual(['good.pdf']);
  });

  it('accepts both XML media types, and leaves unknown types to the server', () => {
    const { batch } = make();
    batch.add([new File(['<x/>'], 'a.xml', { type: 'text/xml' }), new File(['x'], 'scan')], limits);
    expect(states(batch)).toEqual(['sending', 'sending']);
  });

  it('cancels all without starting another', () => {
    const { batch, maxConcurrent } = make();
    batch.add(
      Array.from({ length: 20 }, (_, index) => pdf(`${index}.pdf`)),
      limits,
    );
    batch.cancelAll();
    expect(new Set(states(batch))).toEqual(new Set(['cancelled']));
    expect(maxConcurrent()).toBe(3);
    batch.clear();
    expect(batch.items.get()).toEqual([]);
  });
});
