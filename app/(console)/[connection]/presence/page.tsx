import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { PresencePage } from '@/components/presence/presence-page';
import { presenceContracts } from '@/lib/presence/schema';

export const generateMetadata = titled('presence.title');

const first = (connection: string) => [firstPage(presenceContracts.get, connection)];

export default function Presence(page: PageProps) {
  return (
    <Allowed permission="keys:view" first={first} {...page}>
      <PresencePage />
    </Allowed>
  );
}
