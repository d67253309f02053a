declare function ownTexts(this: { resourcePath: string }, source: string): string;
declare namespace ownTexts {
  export function namesOnly(source: string, folder: string): string;
  export function withNamespaces(source: string): string;
}
export = ownTexts;
