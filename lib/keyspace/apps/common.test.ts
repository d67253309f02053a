import { expect, it } from 'vitest';
import { type Family, family } from '../family';
import { plainText } from '../grammar';
import { createRegistry } from '../registry';
import { commonBeside } from './common';

const queue = (pattern: string): Family => {
  const name = /\{(\w+)/.exec(pattern)![1]!;
  return family({
    id: 'press.queue',
    pattern,
    params: { [name]: plainText },
    type: 'list',
    ttl: 'any',
    role: 'queue',
    title: 'Queue',
    purpose: 'Work.',
    examples: [pattern.replace(/\{\w+\}/, '1')],
    parts: { name: { param: name } },
  });
};
const registryWith = (pattern: string) => {
  const own = queue(pattern);
  return createRegistry([own, ...commonBeside([own])], new Set(), []);
};
const familyOf = (pattern: string, key: string) =>
  registryWith(pattern).classify(Buffer.from(key)).family?.id ?? null;

it('stands beside a narrower family of its role, which wins', () => {
  expect(familyOf('queue:email:{id}', 'queue:email:7')).toBe('press.queue');
  expect(familyOf('queue:email:{id}', 'queue:tasks')).toBe('common.queue');
});

it('gives way to a family of its role with whatever follows its prefix, and to that one only', () => {
  expect(familyOf('queue:{name}', 'queue:tasks')).toBe('press.queue');
  expect(registryWith('queue:{name}').get('common.queue')).toBeUndefined();
  expect(registryWith('queue:{name}').get('common.lock')).toBeDefined();
});
