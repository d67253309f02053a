import 'server-only';
import { notFound } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { passPerConnection, SharedPass } from '@/lib/redis/shared-pass';
import { SECOND } from '@/lib/time';
import { emptyPass, readViews, type ViewFamilies, type ViewsPass } from './pass';

const viewFamilies = (handle: ConnectionHandle, catalog: Registry): ViewFamilies => {
  const [counts, imports, slugs] = (['view-count', 'view-import', 'view-slugs'] as const).map((role) =>
    catalog.role(role),
  );
  if (!counts && !imports && !slugs) throw notFound(`A count of views on connection "${handle.config.id}"`);
  return { counts, imports, slugs };
};

/**
 * The views of each connection, read in the background and shared by all readers. 404 where the connection's catalog
 * counts no views.
 */
export const sharedViews = passPerConnection('views', (handle, catalog: Registry) => {
  const families = viewFamilies(handle, catalog);
  return new SharedPass({
    handle,
    sharedMs: SECOND,
    empty: emptyPass,
    fill: (views: ViewsPass) => readViews(handle, catalog, families, views),
  });
});
