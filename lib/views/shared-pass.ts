import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { type Passed, SharedPass } from '@/lib/redis/shared-pass';
import { SECOND } from '@/lib/time';
import { emptyPass, readViews, type ViewFamilies, type ViewsPass } from './pass';

interface Known {
  catalog: Registry;
  pass: SharedPass<ViewsPass>;
}

const known = processWide('views', () => new WeakMap<ConnectionHandle, Known>());

/** The views of one connection, read in the background and shared by all readers. */
export const sharedViews = (
  handle: ConnectionHandle,
  catalog: Registry,
  families: ViewFamilies,
  withinMs: number,
): Promise<Passed<ViewsPass>> => {
  const found = known().get(handle);
  // Another version of the catalog may name other keys.
  if (found?.catalog === catalog) return found.pass.current(withinMs);
  const pass = new SharedPass({
    handle,
    sharedMs: SECOND,
    empty: emptyPass,
    fill: (views: ViewsPass) => readViews(handle, catalog, families, views),
  });
  known().set(handle, { catalog, pass });
  return pass.current(withinMs);
};

/** Tests begin without a pass. */
export const forgetViews = (): void => known.forget();
