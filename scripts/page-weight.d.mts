export interface PageWeight {
  route: string;
  kind: string;
  bytes: number;
  files: string[];
  heaviest: [module: string, bytes: number][];
}
export function weighPages(folder: string): PageWeight[];
export function overLimit(pages: PageWeight[], limits?: Record<string, number>): string[];
