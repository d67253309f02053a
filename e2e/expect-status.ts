import { expect } from '@playwright/test';

interface Answer {
  status: number | (() => number);
  text: () => Promise<string>;
}

/** Fails with the body of the response, which gives the reason. */
export const expectStatus = async (answer: Answer, expected: number, about = ''): Promise<void> => {
  const status = typeof answer.status === 'number' ? answer.status : answer.status();
  if (status !== expected) expect(`${status}: ${await answer.text()}`, about).toBe(String(expected));
};
