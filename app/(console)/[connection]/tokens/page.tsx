import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { TokensPage } from '@/components/tokens/tokens-page';
import { tokenContracts } from '@/lib/tokens/schema';

export const generateMetadata = titled('tokens.title');

const first = (connection: string) => [
  sessionStatsQuery(connection),
  firstPage(tokenContracts.oauthList, connection),
];

export default function Tokens(page: PageProps) {
  return (
    <Allowed permission="sessions:view" first={first} {...page}>
      <TokensPage />
    </Allowed>
  );
}
