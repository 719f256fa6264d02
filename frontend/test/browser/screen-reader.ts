// A screen reader's way through a page: by headings, landmarks, controls and tables, and by reading on. It
// knows of a page only what Chromium gives to screen readers.
import { expect } from 'vitest';
import { Listener } from './listener.ts';
import { landmarks, type Phrase, phrasesOf } from './spoken.ts';

/** What a key of a screen reader goes to next. */
const kinds = {
  heading: ['heading'],
  landmark: [...landmarks],
  button: ['button', 'DisclosureTriangle'],
  link: ['link'],
  edit: ['textbox', 'searchbox', 'combobox'],
  checkbox: ['checkbox'],
  radio: ['radio'],
  table: ['table', 'grid'],
  list: ['list'],
} as const;

type Kind = keyof typeof kinds;

const inDialog = ({ role }: Phrase) => role === 'dialog' || role === 'alertdialog';

/** The first of the expected texts that does not follow those before it. */
function missingIn(read: readonly Phrase[], expected: readonly RegExp[]): RegExp | undefined {
  let from = 0;
  return expected.find((one) => {
    const at = read.findIndex(({ text }, index) => index >= from && one.test(text));
    from = at + 1;
    return at < 0;
  });
}

export class ScreenReader extends Listener {
  /** The element that was spoken last; null is the top of the page or of its dialog. */
  private cursor: number | null = null;

  /** Loads the page; its title is spoken. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    this.top();
  }

  /** The reading begins at the top of the page, or of its dialog. */
  top(): void {
    this.cursor = null;
  }

  /** All phrases of the page in reading order; of its dialog, if one is open. */
  async phrases(): Promise<Phrase[]> {
    const all = phrasesOf(await this.tree());
    const dialog = all.findLast(inDialog);
    if (!dialog) return all;
    const depth = dialog.within.length;
    const first = all.indexOf(dialog);
    const end = all.findIndex((one, index) => index > first && one.within.length <= depth);
    return all.slice(first, end < 0 ? undefined : end);
  }

  /** The phrases after the one that was spoken last. */
  private async ahead(): Promise<Phrase[]> {
    const phrases = await this.phrases();
    return phrases.slice(phrases.findIndex(({ node }) => node === this.cursor) + 1);
  }

  /** Moves to the next such element with the name. It waits for one that is not there yet. */
  async next(kind: Kind, name: RegExp): Promise<Phrase> {
    const roles: readonly string[] = kinds[kind];
    const find = async () =>
      (await this.ahead()).find((one) => roles.includes(one.role) && name.test(one.name));
    await expect
      .poll(find, { message: `no ${kind} ${name} ahead\n${this.said()}` })
      .not.toBeUndefined();
    const found = (await find()) as Phrase;
    this.speak(`next ${kind}`, found);
    return found;
  }

  /** Reads on to the next heading. These are spoken in this order, with others between them. */
  async reads(...expected: RegExp[]): Promise<void> {
    const find = async () => {
      const ahead = await this.ahead();
      const end = ahead.findIndex(({ role }) => role === 'heading');
      return ahead.slice(0, end < 0 ? undefined : end);
    };
    let read: Phrase[] = [];
    await expect
      .poll(async () => {
        read = await find();
        return missingIn(read, expected);
      })
      .toBeUndefined()
      .catch(() => {
        const texts = read.map(({ text }) => text).join('\n');
        throw new Error(`${missingIn(read, expected)} is not spoken in its place:\n${texts}`);
      });
    for (const phrase of read) this.speak('read', phrase);
  }

  /** Gives the focus to what was spoken last, and presses the key. */
  async activate(key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    if (this.cursor !== null) await this.focus(this.cursor);
    this.transcript.push(`[${key}]`);
    await this.page.keyboard.press(key);
  }

  /** Replaces the text of the edit that was spoken last. */
  async write(text: string): Promise<void> {
    if (this.cursor !== null) await this.focus(this.cursor);
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.type(text);
    this.transcript.push(`[types] ${text}`);
  }

  /** Waits until the focus is on such an element, which is then spoken with the title of its dialog. */
  async arrives(text: RegExp): Promise<Phrase> {
    const find = async () => (await this.phrases()).find(({ focused }) => focused);
    await expect
      .poll(async () => (await find())?.text ?? '', { message: `the focus\n${this.said()}` })
      .toMatch(text);
    const found = (await find()) as Phrase;
    this.speak(`focus${found.within.length > 0 ? ` in ${found.within.at(-1)}` : ''}`, found);
    return found;
  }

  /** What the last focused or spoken element says now. */
  async now(): Promise<string> {
    const phrases = await this.phrases();
    return phrases.find(({ node }) => node === this.cursor)?.text ?? '';
  }

  /** Prints everything that was spoken; a run with -v shows it. */
  print(task: string): void {
    const lines = [`${task}:`, ...this.transcript.map((line) => `  ${line}`)];
    process.stdout.write(lines.map((line) => `spoken: ${line.replaceAll('\n', ' ')}\n`).join(''));
  }

  private speak(command: string, phrase: Phrase): void {
    this.cursor = phrase.node;
    this.transcript.push(`[${command}] ${phrase.text}`);
  }
}
