import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from './fixtures';

/** The parts of a secret to search for: all of a short one, the signature and payload of a JWT. */
const partsOf = (secret: string): string[] => {
  const parts = secret.split('.').filter((part) => part.length >= 16);
  return secret.split('.').length === 3 && parts.length > 0 ? parts.slice(-2) : [secret];
};

const HEAD = 12;

/** Secrets indexed by their first characters: searching a text for thousands of them one by one takes seconds. */
type Secrets = ReadonlyMap<string, readonly string[]>;

export const readSecrets = (file: string): Secrets => {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.length >= HEAD);
  expect(secrets.length).toBeGreaterThan(1000);
  const byHead = new Map<string, string[]>();
  for (const part of new Set(secrets.flatMap(partsOf))) {
    const head = part.slice(0, HEAD);
    const same = byHead.get(head);
    if (same) same.push(part);
    else byHead.set(head, [part]);
  }
  return byHead;
};

export const leaksIn = (text: string, secrets: Secrets): string[] => {
  const leaks = new Set<string>();
  for (let at = 0; at + HEAD <= text.length; at++)
    for (const secret of secrets.get(text.slice(at, at + HEAD)) ?? [])
      if (text.startsWith(secret, at)) leaks.add(secret);
  return [...leaks];
};

/** Opens these pages; neither their content nor a response has a secret. */
export const expectNoLeakOn = async (
  page: Page,
  secrets: Secrets,
  paths: readonly string[],
): Promise<void> => {
  const seen: { url: string; text: string }[] = [];
  const pending: Promise<unknown>[] = [];
  page.on('response', (answer) => {
    const kind = answer.headers()['content-type'] ?? '';
    if (!/json|html|text\/x-component/.test(kind)) return;
    pending.push(
      answer.text().then(
        (text) => seen.push({ url: answer.url(), text }),
        () => undefined,
      ),
    );
  });
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    seen.push({ url: page.url(), text: await page.content() });
  }
  await Promise.all(pending);
  for (const { url, text } of seen) {
    expect(leaksIn(text, secrets), `in ${url}`).toEqual([]);
    expect(leaksIn(url, secrets), 'in an address').toEqual([]);
  }
};
