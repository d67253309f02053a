import {
  KNOWN_PROJECTS,
  type KnownProject,
  type RateWindow,
  WINDOW_ORDERS,
  WINDOW_STATES,
} from '@/lib/rate-limits/schema';

/** The tab's state in the URL. */
export const FIELDS = {
  q: '',
  state: '',
  known: '',
  sort: 'use',
  whatif: '',
  limit: '',
  period: '',
  project: '',
};
export type Fields = typeof FIELDS;

export const NO_FILTER = { q: '', state: '', known: '' };

export interface WindowFilter {
  q?: string;
  state?: RateWindow['state'];
  project?: KnownProject;
  sort: (typeof WINDOW_ORDERS)[number];
}

/** The list's filter; invalid values in the URL are ignored. */
export const filterOf = ({
  q,
  state,
  known,
  sort,
}: Pick<Fields, 'q' | 'state' | 'known' | 'sort'>): WindowFilter => {
  const filter: WindowFilter = { sort: WINDOW_ORDERS.find((each) => each === sort) ?? 'use' };
  const knownState = WINDOW_STATES.find((each) => each === state);
  if (knownState) filter.state = knownState;
  const project = KNOWN_PROJECTS.find((each) => each === known);
  if (project) filter.project = project;
  if (q.trim()) filter.q = q.trim();
  return filter;
};

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
export const whatIfOf = (url: Pick<Fields, 'limit' | 'period' | 'project'>): WhatIfInput | null => {
  const [limit, periodSeconds] = [wholeNumber(url.limit), wholeNumber(url.period)];
  const input: WhatIfInput = {};
  if (limit !== null && periodSeconds !== null) Object.assign(input, { limit, periodSeconds });
  if (isProjectId(url.project)) input.projectId = url.project.trim();
  return Object.keys(input).length > 0 ? input : null;
};
