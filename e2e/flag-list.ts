import type { Page } from '@playwright/test';
import { expect } from './fixtures';

/** What tests of the flags page do with its list. */
export const keyOf = (name: string): string => `env_vars:${name}`;
export const switchOf = (page: Page, name: string) => page.getByRole('switch', { name: `Switch ${name}` });
export const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** As a hand does it: on the label, the input itself is invisible. */
export const press = (page: Page, name: string): Promise<void> =>
  switchOf(page, name).locator('xpath=ancestor::label').click();

/** Opens the page with only this flag on it. */
export const open = async (page: Page, name: string, connection = 'demo'): Promise<void> => {
  await page.goto(`/${connection}/flags?q=${encodeURIComponent(name)}`);
  await expect(rowOf(page, name).first()).toBeVisible({ timeout: 20_000 });
};

export const turn = async (page: Page, name: string, verb: string, reason = ''): Promise<void> => {
  await press(page, name);
  const question = page.getByRole('dialog', { name: `Switch ${name}` });
  if (reason) await question.getByLabel('Reason').fill(reason);
  await question.getByRole('button', { name: verb, exact: true }).click();
};
