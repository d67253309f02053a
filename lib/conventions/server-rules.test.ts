import { expect, test } from 'vitest';
import { catalogFor } from '@/lib/catalog/apps-of';
import { policyFile } from './policy/definition';
import { policyFor } from './policy/policy';
import { checkServers } from './server-rules';

const NAMES = { disabledProjects: 'DisabledProjectsSet', blacklistIps: 'B', allIps: 'A', currentPeriod: 'C' };
const catalog = catalogFor(['discours', 'hawk'], NAMES, []);
const policy = policyFor(catalog, policyFile.parse({}));

const persistenceOf = (config: Map<string, string>) => {
  const state = {
    ...{ info: new Map([['aof_enabled', '0']]), infoReason: null, commands: null, commandsReason: null },
    ...{ config, configReason: null, clients: null, clientsReason: null },
  };
  return checkServers([state], { policy, catalog, forbidden: {}, now: 0 }).get('persistence');
};

test('snapshots are unknown where the server does not tell its setting, not off', () => {
  expect(persistenceOf(new Map([['save', '']]))).toMatchObject({ violations: [{ key: 'persistence' }] });
  expect(persistenceOf(new Map([['save', '60 1']]))).toEqual({ violations: [], reason: null });
  expect(persistenceOf(new Map())).toEqual({
    violations: [],
    reason: 'cannot be seen from here: the server does not report it',
  });
});
