/** The limit to test, in the URL; `project` also chooses whose refused events are shown. */
export const NO_TEST = { whatif: '', limit: '', period: '', project: '' };
export type TestFields = typeof NO_TEST;

const PROJECT_ID = /^[0-9a-f]{24}$/i;

/** A whole number that the server accepts; null for any other text. */
export const wholeNumber = (text: string): number | null => {
  const digits = text.trim();
  const value = /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
};

export const isProjectId = (text: string): boolean => PROJECT_ID.test(text.trim());

export interface WhatIfInput {
  limit?: number;
  periodSeconds?: number;
  projectId?: string;
}

/** The limit to test from the URL: a limit with its period, a project, or both; null if incomplete. */
export const whatIfOf = (url: TestFields): WhatIfInput | null => {
  const [limit, periodSeconds] = [wholeNumber(url.limit), wholeNumber(url.period)];
  const input: WhatIfInput = {};
  if (limit !== null && periodSeconds !== null) Object.assign(input, { limit, periodSeconds });
  if (isProjectId(url.project)) input.projectId = url.project.trim();
  return Object.keys(input).length > 0 ? input : null;
};
