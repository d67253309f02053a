import type { z } from 'zod';
import { maskSecrets } from '../mask';
import { type Path, YamlText } from './yaml-text';

/** One problem of a catalog file. Secrets are masked in `found`. */
export interface CatalogProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** `families[1].pattern`; empty for the complete file. */
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

/** `catalog.yaml:4:12 families[1].pattern: found …, expected …` */
export const problemText = ({ file, line, column, path, found, expected }: CatalogProblem): string =>
  `${file}:${line}:${column}${path === '' ? '' : ` ${path}`}: found ${found}, expected ${expected}`;

const MAX_SHOWN = 80;

const cut = (text: string): string =>
  text.length > MAX_SHOWN ? `${Array.from(text).slice(0, MAX_SHOWN).join('')}…` : text;

/** A value of the file for a message: short, with secrets masked. */
export const shown = (value: unknown): string => {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object')
    return `a mapping with ${cut(maskSecrets(Object.keys(value).join(', '), true))}`;
  // Cut first: long texts are rarely needed in full, and a part of a secret is masked, too.
  const masked = cut(maskSecrets(String(value).slice(0, 10 * MAX_SHOWN), true));
  return typeof value === 'string' ? JSON.stringify(masked) : masked;
};

const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );

/** Hundreds of problems in one file have one cause. */
const MAX_PROBLEMS = 200;

/** Collects the problems of one file, in the order of their places. */
export class CatalogText {
  private readonly found: CatalogProblem[] = [];
  private readonly yaml = new YamlText();

  constructor(private readonly file: string) {}

  get problems(): readonly CatalogProblem[] {
    return [...this.found].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS);
  }

  get count(): number {
    return this.found.length;
  }

  /** The content; undefined, with problems, where it is not YAML or JSON within the limits. */
  parse(source: string): unknown {
    const { content, problems } = this.yaml.parse(source);
    for (const { offset, found, expected } of problems) this.addAt(offset, '', found, expected);
    return content;
  }

  add(path: Path, found: string, expected: string): void {
    this.addAt(this.yaml.offsetOf(path), pathText(path), found, expected);
  }

  /** A problem outside the file's content, which is not collected. */
  problemAt(path: Path, found: string, expected: string): CatalogProblem {
    const place = this.yaml.placeOf(this.yaml.offsetOf(path, true));
    return { file: this.file, ...place, path: pathText(path), found, expected };
  }

  /** The problems that zod found; unknown keys are reported at the key. */
  addIssues(issues: readonly z.core.$ZodIssue[]): void {
    for (const issue of issues) {
      const path = issue.path.filter((step) => typeof step !== 'symbol');
      if (issue.code !== 'unrecognized_keys') {
        // zod reports a forbidden key of a record under the key itself.
        if (issue.code === 'invalid_key') this.addUnknown(path, issue.issues[0]?.message ?? issue.message);
        else this.add(path, shown(issue.input), issue.message);
      } else for (const key of issue.keys) this.addUnknown([...path, key], issue.message);
    }
  }

  private addUnknown(path: Path, expected: string): void {
    const key = shown(String(path.at(-1)));
    this.addAt(this.yaml.offsetOf(path, true), pathText(path.slice(0, -1)), `the key ${key}`, expected);
  }

  private addAt(offset: number, path: string, found: string, expected: string): void {
    if (this.found.length > 10 * MAX_PROBLEMS) return;
    const { line, column } = this.yaml.placeOf(offset);
    const problem = { file: this.file, line, column, path, found, expected };
    // One text may violate two rules with the same remedy.
    const last = this.found.at(-1);
    if (last === undefined || problemText(last) !== problemText(problem)) this.found.push(problem);
  }
}
