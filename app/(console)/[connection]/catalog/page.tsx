import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { CatalogPage } from '@/components/catalog/catalog-page';

export const generateMetadata = titled('catalog.title');

export default function Catalog() {
  return (
    <Allowed permission="view">
      <CatalogPage />
    </Allowed>
  );
}
