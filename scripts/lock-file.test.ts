import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};

it('holds the digest of every package that is installed here', () => {
  const without = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity);
  // npm writes no digest of an optional package for another platform that its registry does not serve.
  const unexpected = without.filter(([, { optional, os, cpu }]) => !optional || !(os || cpu));
  expect(unexpected.map(([path]) => path)).toEqual([]);
});
