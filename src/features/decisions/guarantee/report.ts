import type { Table } from '../evaluation/table.ts';
import type { Group, GuaranteeFit } from './fit.ts';

/** What a file keeps of a group. */
export const toRecord = ({ kind, question, rows, at }: Group, names: readonly string[]) => ({
  kind,
  question,
  rows,
  ...(names.length === 1
    ? { threshold: at?.thresholds[0] ?? null }
    : {
        deciders: names.map((name, stage) => ({
          name,
          threshold: at?.thresholds[stage] ?? null,
          ...(at?.stages[stage] ?? { asked: 0, answered: 0, errors: 0 }),
        })),
      }),
  answered: at?.answered ?? 0,
  errors: at?.errors ?? 0,
});

export function toTable({ groups, target }: GuaranteeFit): Table {
  return [
    [
      '',
      'rows',
      'confidence',
      'answered',
      '95 % interval',
      'wrong',
      `${percent(target.confidence)} interval`,
    ],
    ...groups.map((group) => [
      nameOf(group),
      String(group.rows),
      ...(group.at === null
        ? ['never enough', '–', '–', '–', '–']
        : [
            `from ${group.at.thresholds.map((threshold) => threshold ?? 'none').join(', ')}`,
            percent(group.at.coverage),
            group.at.coverageInterval.map(percent).join('–'),
            percent(group.at.error ?? 0),
            group.at.errorInterval.map(percent).join('–'),
          ]),
    ]),
  ];
}

/** What each decider of a cascade was asked of the rows that were tested. */
export function toStageTable({ groups }: GuaranteeFit, names: readonly string[]): Table {
  return [
    ['', 'decider', 'confidence', 'asked', 'answered', 'wrong'],
    ...groups.flatMap((group) =>
      (group.at?.stages ?? []).map(({ asked, answered, errors }, stage) => {
        const threshold = group.at?.thresholds[stage] ?? null;
        return [
          nameOf(group),
          names[stage] ?? '',
          threshold === null ? 'none' : `from ${threshold}`,
          String(asked),
          String(answered),
          String(errors),
        ];
      }),
    ),
  ];
}

export function remarks({ groups, target, needed }: GuaranteeFit): readonly string[] {
  const bound = `At most ${percent(target.maxError)} of what is answered is wrong, with ${percent(target.confidence)} confidence, on rows like these.`;
  const few = groups.filter(({ rows }) => rows < needed);
  const weak = groups.filter(({ rows, at }) => rows >= needed && at === null);
  return [
    ...(groups.some(({ at }) => at !== null) ? [bound] : []),
    ...few.map(
      ({ kind, rows }) => `${kind}: ${rows} rows are too few; ${needed} are the least. It is never answered.`,
    ),
    ...weak.map(
      ({ kind, rows }) =>
        `${kind}: no confidence keeps to the bound on ${rows} rows. It is never answered; more rows, a larger bound or another engine may help.`,
    ),
  ];
}

const nameOf = ({ kind, question }: Group): string =>
  question === null ? kind : `${kind}, question ${question.slice(0, 8)}`;

const percent = (share: number): string => `${Number((share * 100).toFixed(2))} %`;
