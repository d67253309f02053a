import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { CatalogPage } from '@/components/catalog/catalog-page';
import { catalogQuery } from '@/components/catalog/queries';

export const generateMetadata = titled('catalog.title');

export default consolePage('view', <CatalogPage />, (connection) => [catalogQuery(connection)]);
