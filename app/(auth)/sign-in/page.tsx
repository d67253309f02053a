import { redirect } from 'next/navigation';
import { titled } from '@/app/titled';
import { SignInForm } from '@/components/access/sign-in-form';
import { needsSetup } from '@/lib/access/setup';

export const generateMetadata = titled('access.signIn.title');

interface SignInPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function SignInPage({ searchParams }: SignInPageProps) {
  // Unknown while the store is unreachable; the form then shows the reason.
  if (await needsSetup().catch(() => false)) redirect('/setup');
  const { callbackUrl } = await searchParams;
  return <SignInForm callbackUrl={typeof callbackUrl === 'string' ? callbackUrl : null} />;
}
