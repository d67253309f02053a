type Compile = (message: string) => unknown;

declare function ownTexts(
  this: { resourcePath: string; resourceQuery: string; async(): (error: unknown, text?: string) => void },
  source: string,
): void;
declare namespace ownTexts {
  export function namesOnly(source: string, folder: string, compile: Compile): string;
  export function withNamespaces(source: string): string;
}
export = ownTexts;
