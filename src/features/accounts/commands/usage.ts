import { usageGroups, type UsageGroup, type UsageTotal } from '../store/usage-totals.ts';
import { printJson, printTable, type Column } from '../../../kernel/commands/print.ts';
import { takeWords, texts } from '../../../kernel/commands/command-line.ts';
import { readAll, storeCommand, sharedUsage } from './store-command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

const usage = `nestor usage: what was asked and what it cost, from the ledger

  nestor usage                               totals by account
  nestor usage --by model,day --from 2026-11-01 --to 2026-12-01
  nestor usage --by key --account acme

  --by GROUPS           some of account, key, model, operation, day, separated by commas (default account)
  --from TIME           first instant that counts: 2026-11-01 (UTC), 2026-11-01T08:30:00Z or Unix seconds
  --to TIME             first instant that no longer counts
  --account ID          only this account
  --key ID              only this key, by its id
  --model NAME          only this model
${sharedUsage}
See docs/guide/accounts.md.`;

const options = texts('by', 'from', 'to', 'account', 'key', 'model');

export const runUsage = storeCommand({
  name: 'usage',
  usage,
  options,
  plan({ values, words }, context) {
    takeWords(words, []);
    const by = toGroups(values.by ?? 'account');
    const request = {
      by,
      fromMs: toInstantMs('--from', values.from),
      toMs: toInstantMs('--to', values.to),
      accountId: values.account,
      keyId: values.key,
      model: values.model,
    };
    return async ({ administration }) => {
      const totals = await readAll((page) => administration.usage.totals({ ...request, ...page }));
      const named = totals.map(({ account, key, ...total }) => ({
        ...(account === undefined ? {} : { accountId: account }),
        ...(key === undefined ? {} : { keyId: key }),
        ...total,
      }));
      if (values.json) printJson(context.out, named);
      else printTable(context.out, totals, columnsOf(by));
    };
  },
});

function columnsOf(by: readonly UsageGroup[]): readonly Column<UsageTotal>[] {
  return [
    ...by.map((group): Column<UsageTotal> => ({
      heading: group.toUpperCase(),
      of: (total) => total[group] ?? null,
    })),
    { heading: 'REQUESTS', isNumber: true, of: ({ requests }) => requests },
    { heading: 'INPUT TOKENS', isNumber: true, of: ({ inputTokens }) => inputTokens },
    { heading: 'OUTPUT TOKENS', isNumber: true, of: ({ outputTokens }) => outputTokens },
    { heading: 'COST USD', isNumber: true, of: ({ costUsd }) => costUsd.toFixed(6) },
  ];
}

function toGroups(text: string): readonly UsageGroup[] {
  const named = [...new Set(text.split(','))];
  return named.map((name) => {
    const group = usageGroups.find((one) => one === name);
    if (group === undefined) throw new UsageError(`--by takes some of ${usageGroups.join(', ')}.`);
    return group;
  });
}

function toInstantMs(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(\.\d{1,3})?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const ms = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`${option} takes 2026-11-01, 2026-11-01T08:30:00Z or Unix seconds.`);
  return ms;
}
