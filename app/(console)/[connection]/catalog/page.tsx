import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { CatalogPage } from '@/components/catalog/catalog-page';
import { catalogQuery } from '@/components/catalog/queries';

export const generateMetadata = titled('catalog.title');

const first = (connection: string) => [catalogQuery(connection)];

export default function Catalog(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <CatalogPage />
    </Allowed>
  );
}
