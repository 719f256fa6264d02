// Processes as BPMN: bpmn-js loads every export, and the pages export and import them.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  expectAccessible,
  graphql,
  inEveryView,
  openPage,
  openPageAs,
  screenshot,
  sizes,
} from './environment.ts';
import { textEditor } from './text-editor.ts';

const testdata = join(import.meta.dirname, '../../../bpmn/testdata');
const exportsFolder = join(testdata, 'exports');
const viewer = createRequire(import.meta.url).resolve(
  'bpmn-js/dist/bpmn-navigated-viewer.production.min.js',
);

interface Viewer {
  importXML(xml: string): Promise<{ warnings: unknown[] }>;
  saveXML(): Promise<{ xml: string }>;
  get(name: 'elementRegistry'): { getAll(): unknown[] };
}

const importOf = `query($file: String!) { importBpmn(file: $file) {
  document refused { message } notes { message } } }`;

interface Imported {
  importBpmn: { document: string | null; refused: unknown[]; notes: unknown[] };
}

test('bpmn-js loads every export without a warning, and what it saves is the same definition', async () => {
  const { context, page } = await openPage();
  await page.goto('about:blank');
  await page.setContent('<div id="canvas" style="width:1200px;height:800px"></div>');
  await page.addScriptTag({ path: viewer });
  const names = readdirSync(exportsFolder);
  expect(names.length).toBeGreaterThanOrEqual(9);
  for (const name of names) {
    const file = readFileSync(join(exportsFolder, name), 'utf8');
    const { warnings, shown, saved } = await page.evaluate(async (xml) => {
      const { BpmnJS } = window as unknown as { BpmnJS: new (options: object) => Viewer };
      const one = new BpmnJS({ container: '#canvas' });
      const loaded = await one.importXML(xml);
      return {
        warnings: loaded.warnings.map(String),
        shown: one.get('elementRegistry').getAll().length,
        saved: (await one.saveXML()).xml,
      };
    }, file);
    expect(warnings, name).toEqual([]);
    const drawn = file.match(/<bpmndi:BPMN(Shape|Edge) /g)?.length ?? 0;
    expect(shown, name).toBeGreaterThan(drawn);
    const original = await graphql<Imported>('admin', importOf, { file });
    const again = await graphql<Imported>('admin', importOf, { file: saved });
    expect(original.importBpmn.refused, name).toEqual([]);
    expect(original.importBpmn.document, name).toContain('key: ');
    expect(again.importBpmn, name).toEqual(original.importBpmn);
  }
  await context.close();
});

test('a version is downloaded as BPMN', async () => {
  const { context, page } = await openPageAs('auditor');
  await page.goto('/definitions/merchant_onboarding');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download BPMN' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('merchant_onboarding-1.bpmn');
  expect(readFileSync(await download.path(), 'utf8')).toBe(
    readFileSync(join(exportsFolder, 'merchant_onboarding.bpmn'), 'utf8'),
  );
  await expectAccessible(page, 'the page of a process with its download');
  await context.close();
});

test('a BPMN file becomes the text in the editor, and what cannot be run is listed by its element', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/definitions/new/edit');
  const editor = textEditor(page, 'Process text');
  const choose = (name: string, text: string) =>
    page
      .locator('section:has(#bpmn) input[type=file]')
      .setInputFiles({ name, mimeType: 'application/xml', buffer: Buffer.from(text) });
  const plain = readFileSync(join(testdata, 'plain.bpmn'), 'utf8');
  await choose('travel.bpmn', plain);
  await page.getByText('travel.bpmn is now the text in the editor.').waitFor();
  await expect.poll(() => editor.inputValue()).toMatch(/^key: travel_expenses\n/);
  await page.getByText('The file does not say queue. Add it to the text.').first().waitFor();
  await page.getByText(/^Not valid:/).waitFor();
  await expectAccessible(page, 'an imported draft');
  await screenshot(page, 'bpmn-draft');
  await choose('bad.bpmn', plain.replaceAll('exclusiveGateway', 'inclusiveGateway'));
  await page.getByText('bad.bpmn was not imported').waitFor();
  const refusal = page.getByRole('listitem').filter({ hasText: 'inclusiveGateway' });
  await expect
    .poll(() => refusal.textContent())
    .toBe('Gateway_1 inclusiveGateway is not supported.');
  await expect.poll(() => editor.inputValue()).toMatch(/^key: travel_expenses\n/);
  await choose('long.bpmn', 'x'.repeat(200_001));
  await page.getByText('long.bpmn is too large. A file can have 200,000 characters.').waitFor();
  await choose('bad.bpmn', plain.replaceAll('exclusiveGateway', 'inclusiveGateway'));
  await page.getByText('bad.bpmn was not imported').waitFor();
  await page.setViewportSize(sizes.phone);
  await expectAccessible(page, 'a refused file on a phone');
  await screenshot(page, 'bpmn-refused-phone');
  await context.close();
});

test('the import is accessible in every view', async () => {
  const plain = readFileSync(join(testdata, 'plain.bpmn'));
  await inEveryView('admin', async (page, name) => {
    await page.goto('/definitions/new/edit');
    await page
      .locator('section:has(#bpmn) input[type=file]')
      .setInputFiles({ name: 'travel.bpmn', mimeType: 'application/xml', buffer: plain });
    await page.getByText('Activity_0abc').first().waitFor();
    await expectAccessible(page, `import ${name}`);
    await screenshot(page, `bpmn-${name}`);
  });
});
