import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures';
import { LISTED_MS } from './flag-list';

/** Helpers for the list of the env page. */
export const keyOf = (name: string): string => `env_vars:${name}`;
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
export const fieldOf = (drawer: Locator) => drawer.getByLabel('Value', { exact: true });

/** Opens the page with only this variable on it. */
export const open = async (page: Page, name: string, connection = 'demo'): Promise<void> => {
  await page.goto(`/${connection}/env?q=${encodeURIComponent(name)}`);
  await expect(rowOf(page, name)).toBeVisible({ timeout: LISTED_MS });
};

export const edit = async (page: Page, name: string): Promise<Locator> => {
  await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click();
  const drawer = page.getByRole('dialog', { name: `Edit ${name}`, exact: true });
  await expect(fieldOf(drawer)).toBeVisible();
  return drawer;
};
