import { basePath } from '@/lib/api-client';

/** The part of prometheus.yml that scrapes the console at this address. */
export const scrapeConfig = ({ protocol, host }: Pick<Location, 'protocol' | 'host'>): string =>
  `scrape_configs:
  - job_name: keyward
    scheme: ${protocol.replace(':', '')}
    metrics_path: ${basePath()}/api/metrics
    authorization:
      credentials_file: keyward-token
    static_configs:
      - targets: ["${host}"]
`;
