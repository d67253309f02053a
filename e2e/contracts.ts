import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Contract } from '@/lib/contract';

const LIB = join(__dirname, '../lib');
const load = createRequire(__filename);

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'method', 'path', 'permission'].every((name) => name in value);

/** A schema exports contracts one by one or as groups. */
const contractsIn = (exported: unknown): Contract[] => {
  if (isContract(exported)) return [exported];
  return Object.values(exported ?? {}).filter(isContract);
};

/** Every operation that any schema declares, whether or not the console lists it. */
export const allContracts: readonly Contract[] = [
  ...new Set(
    readdirSync(LIB, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(^|\/)schema\.ts$/.test(name))
      .flatMap((name) => Object.values(load(join(LIB, name)) as object).flatMap(contractsIn)),
  ),
];
