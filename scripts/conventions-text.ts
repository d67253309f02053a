import type { ConventionsReport, RuleReport, Violation } from '@/lib/conventions/schema';
import { plural } from '@/lib/format';
import { countText, moreThanSample, openSample, warningsOf } from './conventions-levels';

const MAX_SHOWN = 5;
const COLUMN = 8;

const violationLine = ({ key, family, detail }: Violation): string =>
  `    ${key}${family ? ` (${family})` : ''}: ${detail}`;

const failedLines = (rule: RuleReport): string[] => {
  const sample = openSample(rule);
  const shown = sample.slice(0, MAX_SHOWN);
  const more = moreThanSample(rule) + sample.length - shown.length;
  return [
    `${rule.severity.padEnd(COLUMN)}${rule.id}: ${countText(rule)}. ${rule.title}`,
    ...shown.map(violationLine),
    ...(more > 0 ? [`    … and ${more.toLocaleString('en')} more`] : []),
    `    ${rule.remedy}`,
  ];
};

const checklistLine = ({ state, title, count, reason }: ConventionsReport['checklist'][number]): string => {
  if (state === 'passed') return `[x] ${title}`;
  if (state === 'failed') return `[ ] ${title}: ${plural(count ?? 0, 'violation')}`;
  return `[?] ${title}: cannot be seen from here. ${reason ?? ''}`.trimEnd();
};

const summaryOf = ({ rules, score, keys, policy }: ConventionsReport): string => {
  const failed = rules.filter(({ state }) => state === 'failed');
  const countOf = (severity: RuleReport['severity']) =>
    failed.filter((rule) => rule.severity === severity).length;
  const waived = rules.reduce((sum, rule) => sum + rule.waived, 0);
  return [
    `${plural(countOf('error'), 'error')}, ${plural(countOf('warning'), 'warning')}, ${countOf('info')} info in ${plural(keys, 'key')}`,
    ...(waived > 0 ? [`${waived.toLocaleString('en')} waived`] : []),
    ...(score === null ? [] : [`score ${Math.floor(score)}`]),
    policy.file ? `policy ${policy.file}` : 'the document as it is',
  ].join('; ');
};

/** The report as text: violations, what could not be determined, the checklist, and a summary. */
export const textOf = (report: ConventionsReport): string => {
  const failed = report.rules.filter(({ state }) => state === 'failed');
  const unknown = report.rules.filter(({ state }) => state === 'unknown');
  return [
    ...failed.flatMap(failedLines),
    ...unknown.map(
      ({ id, reason }) => `${'unknown'.padEnd(COLUMN)}${id}: ${reason ?? 'it could not be seen'}`,
    ),
    ...warningsOf(report).map((warning) => `Warning: ${warning}`),
    ...report.checklist.map(checklistLine),
    summaryOf(report),
    '',
  ].join('\n');
};
