import { expect, it } from 'vitest';
import { registerDomains } from '@/lib/domains/all';
import { figureDefinitions } from '@/lib/figures/registry';
import { messages } from '@/messages/en';

// Alone: other tests register figures of their own.
it('has a name that people say for every figure, and for no other', () => {
  registerDomains();
  const figures = figureDefinitions().map(({ name }) => name.replace(/^keyward_/, ''));
  expect(Object.keys(messages.alerts.metric).sort()).toEqual(figures.sort());
});
