import { redirect } from 'next/navigation';
import { rememberedConnection } from './console-connections';
import { signedInUser } from './signed-in';

export default async function Home() {
  await signedInUser();
  const connection = await rememberedConnection();
  redirect(connection ? `/${connection}/overview` : '/jobs');
}
