import { randomBytes, randomInt } from 'node:crypto';

// What no other test has, nor another attempt of the same one: each makes its own data, however often it runs.

/** `pattern` with its `*` replaced: the last word of a variable's name says what it holds. */
export const uniqueName = (pattern: string): string =>
  pattern.replace('*', randomBytes(4).toString('hex').toUpperCase());

/** Nine digits: the demo's own ids are shorter. */
export const uniqueId = (): string => String(randomInt(100_000_000, 1_000_000_000));

let addresses = 100;

/** An address of the network that is kept for benchmarks (RFC 2544); none begins as another does. */
export const uniqueAddress = (): string => `198.18.${process.env.TEST_WORKER_INDEX}.${addresses++}`;

/** A project id of the error collector. */
export const uniqueProject = (): string => randomBytes(12).toString('hex');
