import { expect, it } from 'vitest';
import type { StreamGroup } from '@/lib/key-values/schema';
import { shown } from '@/scripts/testing/key-details';
import { renderAt } from '@/scripts/testing/render';
import { StreamGroups } from './stream-groups';

const group = (name: string, others: Partial<StreamGroup> = {}): StreamGroup => ({
  name: shown(name),
  pending: 0,
  lag: 0,
  lastDeliveredId: '5-0',
  consumerCount: 0,
  consumers: [],
  ...others,
});

it('says what each group has to do and which consumers are idle; an unknown lag is not 0', () => {
  const consumers = [{ name: shown('worker-1'), pending: 3, idleSeconds: 3600 }];
  renderAt(
    '/main/queues',
    <StreamGroups
      groups={[group('mail', { pending: 3, consumerCount: 1, consumers }), group('search', { lag: null })]}
    />,
  );
  expect(document.body.textContent).toContain('Group mail');
  expect(document.body.textContent).toMatch(/worker-1: 3 pending, idle for 1\sh/);
  expect(document.body.textContent).toContain('unknown to the server');
});

it.each([
  [[], 'No consumer group reads this stream.'],
  [null, 'Keyward’s Redis user may not ask for the groups of this stream.'],
] as const)('says why there are none: %j', (groups, text) => {
  renderAt('/main/queues', <StreamGroups groups={groups} />);
  expect(document.body.textContent).toContain(text);
});
