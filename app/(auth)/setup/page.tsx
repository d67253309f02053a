import { redirect } from 'next/navigation';
import { titled } from '@/app/titled';
import { SetupForm } from '@/components/access/setup-form';
import { needsSetup } from '@/lib/access/setup';

export const generateMetadata = titled('access.setup.title');

export default async function SetupPage() {
  if (!(await needsSetup())) redirect('/sign-in');
  return <SetupForm />;
}
