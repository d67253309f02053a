import 'server-only';
import type { CAUSES } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { isNotPermitted, isStoreUnavailable } from './failure';

type Cause = (typeof CAUSES)[number];

export interface Section<Figures, Finding> {
  state: 'ok' | 'attention' | 'unknown';
  findings: Finding[];
  cause: Cause | null;
  reason: string | null;
  missing: string[];
  figures: Figures | null;
}

/** Reads facts a section can do without: null, and listed as missing, where the server refuses or lacks the command. */
export type Optional = <T>(read: Promise<T>) => Promise<T | null>;

/** The figures of a section with its findings, and why others are unknown; or why there are none. */
type Answer<Figures, Finding> =
  | { figures: Figures; findings: Finding[]; cause?: Cause | null; reason?: string | null }
  | Cause;

/** A refusal may omit its command. */
const shown = (missing: readonly string[]): string[] =>
  [...new Set(missing)].filter((command) => command !== '').sort();

const unknown = <F, K>(
  cause: Cause,
  reason: string | null = null,
  missing: string[] = [],
): Section<F, K> => ({
  state: 'unknown',
  findings: [],
  figures: null,
  cause,
  reason,
  missing: shown(missing),
});

/** The command in a refusal, such as `SLOWLOG GET`; empty without one. */
const commandOf = (error: unknown): string =>
  error instanceof Problem && typeof error.extensions.command === 'string'
    ? error.extensions.command.replace('|', ' ')
    : '';

/**
 * Reads one section. A refusal, or an unavailable store, makes only this section unknown; any other failure is thrown,
 * because it concerns all sections.
 */
export const readSection = async <F, K>(
  read: (optional: Optional) => Promise<Answer<F, K>>,
): Promise<Section<F, K>> => {
  const missing: string[] = [];
  const optional: Optional = (reading) =>
    reading.catch((error) => {
      if (!isNotPermitted(error)) throw error;
      missing.push(commandOf(error));
      return null;
    });
  try {
    const answer = await read(optional);
    if (typeof answer === 'string') return unknown(answer, null, missing);
    const { figures, findings, cause = null, reason = null } = answer;
    const state = findings.length > 0 ? 'attention' : cause === null ? 'ok' : 'unknown';
    return { state, findings, cause, reason, missing: shown(missing), figures };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (isNotPermitted(error)) return unknown('notPermitted', error.message, [commandOf(error)]);
    if (isStoreUnavailable(error)) return unknown('store', error.message);
    throw error;
  }
};

/** The findings that apply, in the given order. */
export const findingsOf = <K extends string>(holds: Readonly<Record<K, boolean>>): K[] =>
  (Object.keys(holds) as K[]).filter((finding) => holds[finding]);

export interface Refused {
  reason: string;
  missing: string[];
}

/** The result, or why our user cannot read it. Throws any other failure. */
export const orRefused = async <T>(
  read: Promise<T>,
): Promise<{ value: T; refused: null } | { value: null; refused: Refused }> => {
  try {
    return { value: await read, refused: null };
  } catch (error) {
    if (!(error instanceof Problem) || !isNotPermitted(error)) throw error;
    return { value: null, refused: { reason: error.message, missing: shown([commandOf(error)]) } };
  }
};
