import 'server-only';

const FLAGS = new Set([
  '',
  '0',
  '1',
  'true',
  'false',
  'yes',
  'no',
  'on',
  'off',
  'ok',
  'null',
  'none',
  'lock',
  'locked',
  '{}',
  '""',
]);

/** Whether a lock's value is only a mark, such as "locked", that does not identify its owner. */
export const isFlag = (owner: Buffer): boolean => FLAGS.has(owner.toString('latin1').trim().toLowerCase());
