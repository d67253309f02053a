import type { Contract } from '@/lib/contract';
import { filesUnder } from '@/scripts/files-under.mjs';

/** The contracts of the interface by how components name them: `flagContracts.set`. */
export const contractsByName = async (): Promise<[string, Contract][]> => {
  const schemas = filesUnder('lib').filter((file: string) => file.endsWith('schema.ts'));
  const modules = await Promise.all(
    schemas.map((file: string) => import(/* @vite-ignore */ `@/${file.slice(0, -3)}`)),
  );
  return modules
    .flatMap((module) => Object.entries<object>(module))
    .filter(([name]) => name.endsWith('Contracts'))
    .flatMap(([name, group]) =>
      Object.entries<Contract>(group as Record<string, Contract>).map(
        ([key, contract]): [string, Contract] => [`${name}.${key}`, contract],
      ),
    );
};
