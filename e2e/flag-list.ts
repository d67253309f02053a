import type { APIRequestContext, Page } from '@playwright/test';
import { expect, type State } from './fixtures';

/** Helpers for the list of the flags page. */
export const keyOf = (name: string): string => `env_vars:${name}`;
export const switchOf = (page: Page, name: string) => page.getByRole('switch', { name: `Switch ${name}` });
export const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Clicks the label like a user: the input itself is invisible. */
export const press = (page: Page, name: string): Promise<void> =>
  switchOf(page, name).locator('xpath=ancestor::label').click();

/**
 * How long a list may lack what an application has just written, ms. A scan of names is used for twice its own time,
 * the next one takes as long again, and pages poll every 10 s.
 */
export const LISTED_MS = 40_000;

/** Opens the page with only this flag in the list. */
export const open = async (page: Page, name: string, connection = 'demo'): Promise<void> => {
  await page.goto(`/${connection}/flags?q=${encodeURIComponent(name)}`);
  await expect(rowOf(page, name).first()).toBeVisible({ timeout: LISTED_MS });
};

/** The etag of a flag on connection demo. A list that was cached shortly before may lack the flag. */
export const etagOf = async (api: APIRequestContext, state: State, name: string): Promise<string> => {
  const read = async (): Promise<string | undefined> => {
    const headers = { authorization: `Bearer ${state.apiToken}` };
    const answer = await api.get('/api/v1/connections/demo/flags', { headers });
    const { items } = (await answer.json()) as { items: { name: string; etag: string }[] };
    return items.find((flag) => flag.name === name)?.etag;
  };
  let etag: string | undefined;
  await expect.poll(async () => (etag = await read())).toBeDefined();
  return etag!;
};

export const turn = async (page: Page, name: string, verb: string, reason = ''): Promise<void> => {
  await press(page, name);
  const question = page.getByRole('dialog', { name: `Switch ${name}` });
  if (reason) await question.getByLabel('Reason').fill(reason);
  await question.getByRole('button', { name: verb, exact: true }).click();
};
