import { expect } from '@playwright/test';

interface Answer {
  status: number | (() => number);
  text: () => Promise<string>;
}

/** An answer of another status fails with its body, which says why. */
export const expectStatus = async (answer: Answer, expected: number, about = ''): Promise<void> => {
  const status = typeof answer.status === 'number' ? answer.status : answer.status();
  if (status !== expected) expect(`${status}: ${await answer.text()}`, about).toBe(String(expected));
};
