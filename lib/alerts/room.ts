import 'server-only';
import { processWide } from '@/lib/process-wide';

/** Attempts of a process at the same time, and to one channel: one that hangs leaves room for the others. */
const MAX_ATTEMPTS = 10;
const MAX_OF_CHANNEL = 2;

const running = processWide('alert-attempts', () => new Map<string, number>());

const countOf = (channel: string): number => running().get(channel) ?? 0;

export const isFull = (): boolean =>
  [...running().values()].reduce((sum, count) => sum + count, 0) >= MAX_ATTEMPTS;

/** Takes a place for an attempt, if there is one. */
export const enter = (channel: string): boolean => {
  if (isFull() || countOf(channel) >= MAX_OF_CHANNEL) return false;
  running().set(channel, countOf(channel) + 1);
  return true;
};

export const leave = (channel: string): void => {
  if (countOf(channel) > 1) running().set(channel, countOf(channel) - 1);
  else running().delete(channel);
};
