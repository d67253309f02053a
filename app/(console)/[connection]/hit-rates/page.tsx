import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { HitRatesPage } from '@/components/hit-rates/hit-rates-page';

export const generateMetadata = titled('hitRates.title');

export default function HitRates() {
  return (
    <Allowed permission="view">
      <HitRatesPage />
    </Allowed>
  );
}
