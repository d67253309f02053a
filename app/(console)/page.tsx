import { redirect } from 'next/navigation';
import { hrefOf, PAGES } from '@/components/shell/pages';
import { may } from '@/lib/permissions';
import { preferencesOf } from '@/lib/users/preferences/store';
import { rememberedConnection } from './console-connections';
import { signedInUser } from './signed-in';

export default async function Home() {
  const { id, role } = await signedInUser();
  const connection = await rememberedConnection();
  const { firstPage } = await preferencesOf(id);
  const page = PAGES.find((candidate) => candidate.id === firstPage && may(role, candidate.permission));
  if (page && (connection || !page.ofConnection)) redirect(hrefOf(page, connection));
  redirect(connection ? `/${connection}/overview` : '/jobs');
}
