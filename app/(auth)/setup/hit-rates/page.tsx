import { redirect } from 'next/navigation';
import { connectionFacts } from '@/app/(console)/console-connections';
import { signedInUser } from '@/app/(console)/signed-in';
import { titled } from '@/app/titled';
import { SamplingSetup } from '@/components/hit-rates/sampling-setup';
import { may } from '@/lib/permissions';

export const generateMetadata = titled('hitRates.title');

export default async function HitRatesSetupPage() {
  const { role } = await signedInUser();
  if (!may(role, 'caches:sample')) redirect('/');
  return <SamplingSetup connections={connectionFacts().map(({ id, name }) => ({ id, name }))} />;
}
