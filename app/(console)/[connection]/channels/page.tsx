import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { channelQueries } from '@/components/channels/queries';
import { Live } from './live';

export const generateMetadata = titled('channels.title');

const first = (connection: string) => [channelQueries.list(connection, '')];

export default function Channels(page: PageProps) {
  return (
    <Allowed permission="live:view" first={first} {...page}>
      <Live />
    </Allowed>
  );
}
