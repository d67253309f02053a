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

/** Whether the value of a lock only says that it is locked: by it nobody can tell whose lock it is (document 004). */
export const isFlag = (owner: Buffer): boolean => FLAGS.has(owner.toString('latin1').trim().toLowerCase());
