import { titled } from '@/app/titled';
import { HitRatesPage } from '@/components/hit-rates/hit-rates-page';
import { Allowed } from '@/components/patterns/allowed';

export const generateMetadata = titled('hitRates.title');

export default function HitRates() {
  return (
    <Allowed permission="view">
      <HitRatesPage />
    </Allowed>
  );
}
