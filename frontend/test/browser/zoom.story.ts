// The pages at a zoom of 200 % on a screen of 1440 x 900.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, openPageAs, screenshot, type Username } from './environment.ts';
import { act, waitingReview } from './reviews.ts';

const zoomed = { size: { width: 720, height: 450 }, scale: 2 };

/** Names of controls that something else covers where they are when they are scrolled into the window. */
function coveredControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const covered: string[] = [];
    const controls = 'main a[href], main button, main input, main select, main textarea';
    for (const control of document.querySelectorAll<HTMLElement>(controls)) {
      control.scrollIntoView({ block: 'center', inline: 'nearest' });
      const box = control.getBoundingClientRect();
      // Controls for screen readers only, and fields behind buttons, have no size.
      if (
        box.width < 8 ||
        box.height < 8 ||
        !control.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      )
        continue;
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const top = document.elementFromPoint(x, y);
      const label = control instanceof HTMLInputElement ? control.labels?.[0] : null;
      const own = top && (control.contains(top) || top.contains(control) || label?.contains(top));
      if (!own)
        covered.push(
          `${control.ariaLabel ?? control.textContent?.trim() ?? control.tagName}: ${top?.className.toString() ?? 'outside'} at ${Math.round(x)}, ${Math.round(y)}`,
        );
    }
    window.scrollTo(0, 0);
    return covered;
  });
}

/** The control that has the focus, and what covers it; `outside` if it is not inside the window. */
function focusedControl(page: Page): Promise<{ name: string; over: string } | null> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element?.closest('main')) return null;
    const box = element.getBoundingClientRect();
    const inside =
      box.top >= -1 &&
      box.bottom <= innerHeight + 1 &&
      box.left >= -1 &&
      box.right <= innerWidth + 1;
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const own = top && (element.contains(top) || top.contains(element));
    const label = (element as HTMLInputElement).labels?.[0]?.textContent ?? '';
    return {
      name: `${element.ariaLabel ?? ''} ${element.textContent ?? ''} ${label}`,
      over: inside
        ? own
          ? ''
          : (top?.className.toString() ?? 'nothing')
        : `outside ${JSON.stringify(box)}`,
    };
  });
}

/** Reaches the control with Tab; it is inside the window then and nothing covers it. */
async function reachByTab(page: Page, name: RegExp): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (let tabs = 0; tabs < 150; tabs++) {
    await page.keyboard.press('Tab');
    const focused = await focusedControl(page);
    if (!focused || !name.test(focused.name)) continue;
    await expect.poll(async () => (await focusedControl(page))?.over).toBe('');
    return;
  }
  throw new Error(`${name} is not reached by Tab`);
}

interface Visited {
  as: Username;
  path: string;
  /** The name of the first action of the page; null if it has none. */
  action: RegExp;
}

test('at 200 % no page scrolls sideways, no control is covered, and actions are reached by Tab', async () => {
  const review = await waitingReview(8_100);
  const held = await waitingReview(8_200);
  await act('manager', 'claimReview', { reviewId: held.id });
  const visits: Visited[] = [
    { as: 'submitter', path: '/intake', action: /Choose files|Select files|files/i },
    { as: 'manager', path: '/queue', action: /Next review|next/i },
    { as: 'manager', path: `/reviews/${review.id}`, action: /^\s*Claim/ },
    { as: 'manager', path: `/reviews/${held.id}`, action: /Approve/ },
    { as: 'manager', path: '/cases', action: /Export/ },
    { as: 'manager', path: `/cases/${review.case.reference}`, action: /review/i },
    { as: 'manager', path: '/manage', action: /Select|Choose|shown/i },
    { as: 'manager', path: '/statistics', action: /Export|days|Period/i },
    { as: 'admin', path: '/definitions', action: /./ },
    { as: 'admin', path: '/admin/people', action: /Add|Invite|person/i },
    { as: 'auditor', path: '/audit', action: /Verify|Search|Open/i },
  ];
  const problems: string[] = [];
  for (const { as, path, action } of visits) {
    const { context, page } = await openPageAs(as, zoomed);
    const name = `${path.replace(/[0-9a-f-]{36}/, held.id === path.slice(9) ? 'held' : 'open')}`;
    const check = async (what: string, run: () => Promise<unknown>) => {
      await run().catch((reason: Error) => problems.push(`${name}: ${what}: ${reason.message}`));
    };
    await page.goto(path);
    await page.locator('main h1').first().waitFor();
    await expect.poll(() => page.locator('main [aria-busy="true"]').count()).toBe(0);
    await check('accessible', () => expectAccessible(page, name));
    await check('covered', async () => await expect.poll(() => coveredControls(page)).toEqual([]));
    await check('by Tab', () => reachByTab(page, action));
    await screenshot(page, `zoom${name.replaceAll('/', '-')}`);
    await context.close();
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
});
