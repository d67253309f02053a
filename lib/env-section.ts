import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import * as kinds from './env-values';

export const path = kinds.text('the path of a file', /^.+$/);

/** A mapping of the file; keys nobody knows are reported by name. */
export class Section {
  private readonly values: Record<string, unknown>;

  constructor(
    readonly findings: kinds.Findings,
    readonly label: string,
    value: unknown,
    known: readonly string[],
  ) {
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.values = isMapping ? (value as Record<string, unknown>) : {};
    if (!isMapping) findings.add(label, Array.isArray(value) ? 'a list' : typeof value, 'a mapping');
    for (const key of Object.keys(this.values)) {
      if (!known.includes(key)) {
        findings.add(`${label}.${key}`, 'an unknown key', `one of ${known.join(', ')}`);
      }
    }
  }

  raw(key: string): unknown {
    return this.values[key];
  }

  has(key: string): boolean {
    return this.values[key] !== undefined && this.values[key] !== null;
  }

  read<T, F>(key: string, kind: kinds.Kind<T>, fallback: F): T | F {
    return this.findings.read(`${this.label}.${key}`, this.values[key], kind, fallback);
  }

  /** What must be there: reported when it is not. */
  need<T, F>(key: string, kind: kinds.Kind<T>, fallback: F): T | F {
    if (!this.has(key)) this.findings.add(`${this.label}.${key}`, 'nothing', kind.expected);
    return this.read(key, kind, fallback);
  }

  section(key: string, known: readonly string[]): Section | null {
    return this.has(key) ? new Section(this.findings, `${this.label}.${key}`, this.values[key], known) : null;
  }

  /** The absolute path of a file that can be read. */
  file(key: string, folder: string, value: unknown = this.values[key]): string | undefined {
    const given = this.findings.read(`${this.label}.${key}`, value, path, undefined);
    if (given === undefined) return undefined;
    const absolute = resolve(folder, given);
    try {
      accessSync(absolute, constants.R_OK);
    } catch {
      this.findings.add(`${this.label}.${key}`, JSON.stringify(given), 'a file that can be read');
    }
    return absolute;
  }
}
