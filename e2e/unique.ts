import { randomBytes, randomInt } from 'node:crypto';

// Data that no other test uses, nor another attempt of the same test.

/** `pattern` with its `*` replaced. The last word of a variable's name determines its kind. */
export const uniqueName = (pattern: string): string =>
  pattern.replace('*', randomBytes(4).toString('hex').toUpperCase());

/** Nine digits: the demo's own ids are shorter. */
export const uniqueId = (): string => String(randomInt(100_000_000, 1_000_000_000));

let addresses = 100;

/** An address of the network reserved for benchmarks (RFC 2544); none is a prefix of another. */
export const uniqueAddress = (): string => `198.18.${process.env.TEST_WORKER_INDEX}.${addresses++}`;

/** A project id of the error collector. */
export const uniqueProject = (): string => randomBytes(12).toString('hex');
