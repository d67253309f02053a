import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Point } from '@/lib/history/schema';
import { FakeLocks } from '@/scripts/testing/fake-locks';
import { LiveFeed } from './live-feed';

class FakeStream extends EventTarget {
  static open: FakeStream[] = [];
  onerror: (() => void) | null = null;
  readyState = 1;

  constructor(readonly url: string) {
    super();
    FakeStream.open.push(this);
  }

  emit(event: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
  }

  close(): void {
    FakeStream.open = FakeStream.open.filter((stream) => stream !== this);
  }
}

const point = (second: number): Point => ({ at: new Date(second * 1000).toISOString() }) as Point;

/** A tab: the feeds of one test share locks and channels, as the tabs of one browser do. */
const tab = (name = 'user-1 demo') => {
  const ended = vi.fn();
  const feed = new LiveFeed('/stream', name, ended);
  let stop = feed.subscribe(() => undefined);
  return {
    feed,
    ended,
    stop: () => stop(),
    resume: () => {
      stop = feed.subscribe(() => undefined);
    },
    seconds: () => feed.read().points.map(({ at }) => Date.parse(at) / 1000),
  };
};

let locks: FakeLocks;
const tabs: { stop: () => void }[] = [];
const openTab = (name?: string) => {
  const opened = tab(name);
  tabs.push(opened);
  return opened;
};

beforeEach(() => {
  locks = new FakeLocks();
  FakeStream.open = [];
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('EventSource', FakeStream);
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
});
afterEach(() => {
  vi.useRealTimers();
  for (const tab of tabs.splice(0)) tab.stop();
  vi.unstubAllGlobals();
});

const streams = () => FakeStream.open;
const onlyStream = async (): Promise<FakeStream> => {
  await expect.poll(streams).toHaveLength(1);
  return streams()[0]!;
};

it('has one stream for twenty tabs, and gives a tab that is opened later the points so far', async () => {
  const first = openTab();
  (await onlyStream()).emit('point', point(1));
  const others = Array.from({ length: 19 }, () => openTab());
  for (const tab of others) await expect.poll(tab.seconds).toEqual([1]);
  (await onlyStream()).emit('point', point(2));
  for (const tab of [first, ...others]) {
    await expect.poll(tab.seconds).toEqual([1, 2]);
    expect(tab.feed.read().status).toBe('live');
  }
});

it('opens the stream in the next tab when its tab is closed or hidden', async () => {
  const [first, second] = [openTab(), openTab()];
  const before = await onlyStream();
  before.emit('point', point(1));
  await expect.poll(second.seconds).toEqual([1]);
  first.stop();
  await expect.poll(() => streams()[0] !== before && streams().length).toBe(1);
  streams()[0]!.emit('point', point(2));
  expect(second.seconds()).toEqual([1, 2]);
  first.resume();
  await expect.poll(first.seconds).toEqual([1, 2]);
});

it('has no stream while all tabs are hidden', async () => {
  const only = openTab();
  await onlyStream();
  Object.assign(document, { hidden: true });
  document.dispatchEvent(new Event('visibilitychange'));
  await expect.poll(streams).toEqual([]);
  expect(only.feed.read().status).toBe('paused');
  Object.assign(document, { hidden: false });
  document.dispatchEvent(new Event('visibilitychange'));
  await onlyStream();
  expect(only.feed.read().status).toBe('connecting');
});

it('takes the stream over from a tab that holds the lock and hangs', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  // It holds the lock and sends nothing.
  void locks.request('user-1 demo', {}, () => new Promise(() => undefined)).catch(() => undefined);
  openTab();
  await vi.advanceTimersByTimeAsync(5000);
  expect(streams()).toEqual([]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(streams()).toHaveLength(1);
});

it('shows no tab the points of another user or connection', async () => {
  openTab();
  const [other, second] = [openTab('user-2 demo'), openTab('user-2 demo')];
  await expect.poll(streams).toHaveLength(2);
  streams()[0]!.emit('point', point(1));
  streams()[1]!.emit('point', point(2));
  await expect.poll(second.seconds).toEqual([2]);
  expect(other.seconds()).toEqual([2]);
});

it('has streams of two connections at most, so that requests keep free connections', async () => {
  const [first] = [openTab('user-1 a'), openTab('user-1 b')];
  const third = openTab('user-1 c');
  await expect.poll(() => third.feed.read().status).toBe('otherConnections');
  expect(streams()).toHaveLength(2);
  first!.stop();
  await expect.poll(streams).toHaveLength(2);
  streams()[1]!.emit('point', point(1));
  expect(third.seconds()).toEqual([1]);
});

it('reports to every tab that the permission ended', async () => {
  const [first, second] = [openTab(), openTab()];
  (await onlyStream()).emit('end', { reason: 'ended' });
  expect(first.ended).toHaveBeenCalledOnce();
  await expect.poll(() => second.ended.mock.calls.length).toBe(1);
});

it('passes gaps on with what cannot be reached, and ignores a gap of the history', async () => {
  const [first, second] = [openTab(), openTab()];
  const stream = await onlyStream();
  stream.emit('gap', { of: 'redis', reason: 'nothing is listening' });
  await expect.poll(second.feed.read).toMatchObject({ status: 'gap', gapOf: 'redis' });
  stream.emit('point', point(1));
  stream.emit('gap', { of: 'history', reason: 'too old' });
  expect(first.feed.read()).toMatchObject({ status: 'live', gapOf: null });
});

it('has a stream of its own in a browser without Web Locks', async () => {
  vi.stubGlobal('navigator', {});
  const [first, second] = [openTab(), openTab()];
  await expect.poll(streams).toHaveLength(2);
  for (const stream of streams()) stream.emit('point', point(1));
  expect([first.seconds(), second.seconds()]).toEqual([[1], [1]]);
});
