import { redirect } from 'next/navigation';
import { rememberedConnection } from './console-connections';

export default async function Home() {
  const connection = await rememberedConnection();
  redirect(connection ? `/${connection}/overview` : '/jobs');
}
