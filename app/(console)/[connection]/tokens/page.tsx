import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { TokensPage } from '@/components/tokens/tokens-page';
import { tokenContracts } from '@/lib/tokens/schema';

export const generateMetadata = titled('tokens.title');

export default consolePage('sessions:view', <TokensPage />, (connection) => [
  sessionStatsQuery(connection),
  firstPage(tokenContracts.oauthList, connection),
]);
