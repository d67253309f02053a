import type { ConventionsReport, RuleReport } from '@/lib/conventions/schema';
import {
  countText,
  type FailOn,
  isAtLevel,
  moreThanSample,
  openSample,
  warningsOf,
} from './conventions-levels';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 cannot contain these characters at all, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in XML.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;
/** In attributes and texts these are read as spaces. */
const BLANKS = /[\t\n\r]/g;

const escaped = (text: string): string =>
  text.replace(NOT_XML, '\ufffd').replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);

const attribute = (text: string): string =>
  escaped(text).replace(BLANKS, (blank) => `&#${blank.charCodeAt(0)};`);

const linesOf = (rule: RuleReport): string => {
  const more = moreThanSample(rule);
  const lines = [
    ...openSample(rule).map(({ key, family, detail }) => `${key}${family ? ` (${family})` : ''}: ${detail}`),
    ...(more > 0 ? [`… and ${more} more`] : []),
    rule.remedy,
  ];
  return escaped(lines.join('\n'));
};

const contentOf = (rule: RuleReport, failOn: FailOn): string => {
  if (rule.state === 'passed') return '';
  if (rule.state !== 'failed')
    return `<skipped message="${attribute(`${rule.state}${rule.reason ? `: ${rule.reason}` : ''}`)}"/>`;
  const message = attribute(`${rule.title}: ${countText(rule)}`);
  return isAtLevel(rule.severity, failOn)
    ? `<failure type="${rule.severity}" message="${message}">${linesOf(rule)}</failure>`
    : `<system-out>${escaped(`${rule.severity}: ${rule.title}: ${countText(rule)}`)}\n${linesOf(rule)}</system-out>`;
};

const caseOf = (rule: RuleReport, failOn: FailOn): string =>
  `    <testcase classname="conventions.${rule.checklist ?? 'other'}" name="${attribute(rule.id)}" time="0">${contentOf(rule, failOn)}</testcase>`;

/** The report for continuous integration: one case per rule, which fails from the given level on. */
export const junitOf = (report: ConventionsReport, failOn: FailOn): string => {
  const { rules, at } = report;
  const warnings = warningsOf(report);
  const failures = rules.filter(({ state, severity }) => state === 'failed' && isAtLevel(severity, failOn));
  const skipped = rules.filter(({ state }) => state !== 'failed' && state !== 'passed');
  const counts = `tests="${rules.length}" failures="${failures.length}" errors="0" skipped="${skipped.length}"`;
  const when = at ? ` timestamp="${attribute(at)}"` : '';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Keyward" ${counts} time="0">`,
    `  <testsuite name="conventions" ${counts} time="0"${when}>`,
    ...rules.map((rule) => caseOf(rule, failOn)),
    ...(warnings.length > 0 ? [`    <system-err>${escaped(warnings.join('\n'))}</system-err>`] : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
};
