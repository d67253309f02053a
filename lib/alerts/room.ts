import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { StoredDelivery } from './event';

/** Attempts of a process at the same time, and to one receiver: one that hangs leaves room for the others. */
const MAX_ATTEMPTS = 10;
const MAX_OF_RECEIVER = 2;

type Place = Pick<StoredDelivery, 'kind' | 'channel'>;

const running = processWide('alert-attempts', () => new Map<string, number>());

/** All mail goes to one server, whatever its channel. */
const receiverOf = ({ kind, channel }: Place): string => (kind === 'email' ? 'mail' : channel);

const countOf = (receiver: string): number => running().get(receiver) ?? 0;

export const isFull = (): boolean =>
  [...running().values()].reduce((sum, count) => sum + count, 0) >= MAX_ATTEMPTS;

/** Takes a place for an attempt, if there is one. */
export const enter = (place: Place): boolean => {
  const receiver = receiverOf(place);
  if (isFull() || countOf(receiver) >= MAX_OF_RECEIVER) return false;
  running().set(receiver, countOf(receiver) + 1);
  return true;
};

export const leave = (place: Place): void => {
  const receiver = receiverOf(place);
  if (countOf(receiver) > 1) running().set(receiver, countOf(receiver) - 1);
  else running().delete(receiver);
};
