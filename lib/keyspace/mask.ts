import { announcedRuns, plainText, type Run } from './secret-text';

/** Replaces a secret and reveals nothing about it, not even its length. */
export const MASK = '•••';

const TOKEN_CHAR = /[\w\-.+/=~]/;
const LONG_RUN = 20;

/** 1 digit, 2 lower, 3 upper, 0 anything else. */
const charClass = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return 1;
  if (code >= 0x61 && code <= 0x7a) return 2;
  return code >= 0x41 && code <= 0x5a ? 3 : 0;
};

/** Shannon entropy in bits per character. */
const entropy = (run: string): number => {
  const counts = new Map<string, number>();
  for (const char of run) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / run.length) * Math.log2(count / run.length);
  return bits;
};

/**
 * Whether a run of token characters looks generated. People write words with separators: few changes between digits,
 * lower and upper case, and no very long unbroken part. In doubt it counts as a secret.
 */
export const looksRandom = (run: string): boolean => {
  if (run.length < LONG_RUN || entropy(run) < 2.5) return false;
  let changes = 0;
  let unbroken = 0;
  let longest = 0;
  let mixed = 0;
  let before = 0;
  for (let i = 0; i < run.length; i++) {
    const now = charClass(run.charCodeAt(i));
    unbroken = now === 0 ? 0 : unbroken + 1;
    longest = Math.max(longest, unbroken);
    mixed |= 1 << now;
    // A capital at the beginning of a word is normal; a digit or capital in the middle of letters looks random.
    if (before !== 0 && now !== 0 && now !== before && !(before === 3 && now === 2)) changes++;
    before = now;
  }
  const classes = ((mixed >> 1) & 1) + ((mixed >> 2) & 1) + ((mixed >> 3) & 1);
  return longest >= LONG_RUN || (classes >= 2 && changes * 10 >= run.length);
};

/** Where the last run of token characters begins. */
export const lastRunStart = (text: string): number => {
  let at = text.length;
  while (at > 0 && TOKEN_CHAR.test(text[at - 1]!)) at--;
  return at;
};

/** Drops the last run of truncated text: it may be the beginning of a secret that is too short to be recognised. */
export const withoutLastRun = (text: string): string => {
  const end = lastRunStart(text);
  return end === text.length ? text : text.slice(0, end) + MASK;
};

/** Drops the first run of a text whose beginning is cut off: it may be the end of a secret. */
export const withoutFirstRun = (text: string): string => {
  let from = 0;
  while (from < text.length && TOKEN_CHAR.test(text[from]!)) from++;
  return from === 0 ? text : MASK + text.slice(from);
};

/** The form of shorter runs never makes them secret. */
const RUNS = /[\w\-.+/=~]{8,}/g;

/** JWTs (complete or cut: every run that begins with `eyJ`) and, with `strict`, long random-looking runs. */
const tokenRuns = (text: string, strict: boolean): Run[] => {
  const runs: Run[] = [];
  for (const { index, 0: run } of text.matchAll(RUNS)) {
    const [jwtAt, end] = [run.indexOf('eyJ'), index + run.length];
    if (strict && looksRandom(run)) runs.push([index, end]);
    else if (jwtAt >= 0 && run.length - jwtAt >= 8) runs.push([index + jwtAt, end]);
  }
  return runs;
};

/**
 * Where `maskSecrets` masks: start and end of each run, ordered and disjoint. Characters above 0x7f never belong to
 * one, so bytes may be passed as latin1.
 */
export const secretRuns = (text: string, strict: boolean): Run[] => {
  const secrets = [...tokenRuns(text, strict), ...announcedRuns(plainText(text))];
  const runs: [start: number, end: number][] = [];
  for (const [start, end] of secrets.sort(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else runs.push([start, end]);
  }
  return runs;
};

/**
 * Masks secrets announced by running text (`announcedRuns`), JWTs and, with `strict`, long random-looking runs. For
 * text of unknown origin. Linear.
 */
export const maskSecrets = (text: string, strict: boolean): string => {
  let out = '';
  let at = 0;
  for (const [start, end] of secretRuns(text, strict)) {
    out += text.slice(at, start) + MASK;
    at = end;
  }
  return out + text.slice(at);
};

/** Whether a text, or a part of it, has the form of a secret or looks random. */
export const looksSecret = (text: string): boolean => secretRuns(text, true).length > 0;
