import type { Page } from '@playwright/test';
import type { State } from './fixtures';

/**
 * Records all responses to the page from now on. Returns a function that gives their text and the page's final content,
 * to search for tokens.
 */
export const recordPage = (page: Page): (() => Promise<string>) => {
  const seen: string[] = [];
  const pending: Promise<unknown>[] = [];
  page.on('response', (answer) => {
    if (answer.url().includes('/stream')) return;
    const read = async () => seen.push(answer.url(), await answer.text());
    pending.push(read().catch(() => undefined));
  });
  return async () => {
    await Promise.all(pending);
    return [...seen, page.url(), await page.content()].join('\n');
  };
};

interface Entry {
  actor: string;
  role: string;
  action: string;
  connection: string;
  target: string;
  reason: string;
  outcome: string;
  after: object;
}

/** The audit entries about a target, on connection demo unless another is given, newest first, parsed and as text. */
export const auditOf = async (
  page: Page,
  state: State,
  query: { target: string; action?: string; connection?: string },
): Promise<{ items: Entry[]; text: string }> => {
  const url = `/api/v1/audit?${new URLSearchParams({ connection: 'demo', ...query })}`;
  const answer = await page.request.get(url, { headers: { authorization: `Bearer ${state.apiToken}` } });
  const text = await answer.text();
  return { items: (JSON.parse(text) as { items: Entry[] }).items, text };
};
