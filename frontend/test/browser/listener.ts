// What a screen reader would announce: the element that has the focus, as Chromium's accessibility tree
// describes it, and the changes of live regions.
import type { CDPSession, Page } from 'playwright-core';
import { expect, onTestFailed } from 'vitest';
import type { AXNode, AXValue } from './spoken.ts';

/** The focused element. */
export interface Stop {
  role: string;
  name: string;
  description: string;
}

const text = (value?: AXValue) => String(value?.value ?? '');

/** Listens to one page. */
export class Listener {
  /** Everything announced so far, for the message of a failed story. */
  protected readonly transcript: string[] = [];
  protected readonly page: Page;
  private readonly client: CDPSession;

  constructor(page: Page, client: CDPSession) {
    this.page = page;
    this.client = client;
  }

  static async of<T extends Listener>(
    this: new (
      page: Page,
      client: CDPSession,
    ) => T,
    page: Page,
  ): Promise<T> {
    const client = await page.context().newCDPSession(page);
    const listener = new this(page, client);
    onTestFailed(() => {
      process.stdout.write(listener.transcript.map((line) => `shown: ${line}\n`).join(''));
    });
    await client.send('Accessibility.enable');
    await page.exposeFunction('announced', (said: string) => {
      listener.transcript.push(said);
    });
    await page.addInitScript(() => {
      const live = '[aria-live]:not([aria-live="off"]), [role="status"], [role="alert"], output';
      const report = (globalThis as unknown as { announced(said: string): void }).announced;
      new MutationObserver((changes) => {
        const regions = new Set<Element>();
        for (const { target, addedNodes } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          const region = element?.closest(live);
          if (region) regions.add(region);
          // A region that appears with its text is announced if it is an alert.
          for (const added of addedNodes) {
            if (!(added instanceof Element)) continue;
            if (added.matches('[role="alert"]')) regions.add(added);
            for (const alert of added.querySelectorAll('[role="alert"]')) regions.add(alert);
          }
        }
        for (const region of regions) {
          const read = region.cloneNode(true) as Element;
          for (const hidden of read.querySelectorAll('[aria-hidden="true"]')) hidden.remove();
          const said = read.textContent?.trim() ?? '';
          if (said !== '') report(said);
        }
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    return listener;
  }

  /** Presses a key and returns what has the focus then. */
  async press(key: string): Promise<Stop | null> {
    await this.page.keyboard.press(key);
    const stop = await this.focused();
    this.transcript.push(`${key}: ${stop === null ? 'nothing' : `${stop.role} ${stop.name}`}`);
    return stop;
  }

  /** The accessibility tree of the page. */
  protected async tree(): Promise<AXNode[]> {
    const { nodes } = await this.client.send('Accessibility.getFullAXTree');
    return nodes as AXNode[];
  }

  /** Gives the focus to the element. */
  protected async focus(backendNodeId: number): Promise<void> {
    await this.client.send('DOM.focus', { backendNodeId });
  }

  /** The focused element; null if it is the page itself. */
  async focused(): Promise<Stop | null> {
    const nodes = await this.tree();
    const found = nodes.findLast(
      ({ ignored, properties }) =>
        !ignored &&
        properties?.some(({ name, value }) => name === 'focused' && value.value === true),
    );
    if (found === undefined || text(found.role) === 'RootWebArea') return null;
    return { role: text(found.role), name: text(found.name), description: text(found.description) };
  }

  /** Presses a key until such an element has the focus. Each element on the way must have a name. */
  async moveTo(role: string, name: RegExp, key = 'Tab'): Promise<Stop> {
    for (let presses = 0; presses < 80; presses++) {
      const stop = await this.press(key);
      expect(stop?.name ?? 'the page', `${stop?.role} without a name\n${this.said()}`).not.toBe('');
      if (stop?.role === role && name.test(stop.name)) return stop;
    }
    throw new Error(`no ${role} ${name} by ${key}:\n${this.said()}`);
  }

  /** Waits until a live region has announced it. */
  async heard(announcement: RegExp): Promise<void> {
    await expect
      .poll(() => this.transcript.some((line) => announcement.test(line)), { message: this.said() })
      .toBe(true)
      .catch((reason: unknown) => {
        throw new Error(`${announcement} was not announced:\n${this.said()}`, { cause: reason });
      });
  }

  protected said(): string {
    return this.transcript.slice(-60).join('\n');
  }
}
