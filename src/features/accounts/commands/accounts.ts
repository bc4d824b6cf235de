import type { AccountRecord } from '../administration.ts';
import type { Purchase } from '../store/purchases.ts';
import { Fault } from '../../../kernel/faults.ts';
import { confirm } from '../../../kernel/commands/confirm.ts';
import {
  printJson,
  printRecords,
  printTable,
  printResult,
  toTime,
  type Column,
} from '../../../kernel/commands/print.ts';
import { takeVerb, takeWords, texts } from '../../../kernel/commands/command-line.ts';
import {
  readAll,
  storeCommand,
  sharedUsage,
  type Creating,
  type StoreValues,
  type StoreWork,
} from './store-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

const usage = `nestor accounts: who may call, and the credits that decide their tier of rate limits

  nestor accounts list                       every account
  nestor accounts create [ID] [--name NAME]  a new one; without ID one is made
  nestor accounts show ID                    one, with its purchases
  nestor accounts rename ID NAME             give it another name
  nestor accounts credit ID USD              book a purchase; tiers begin at 0, 50, 250, 500, 1000 and 5000 USD
  nestor accounts rm ID                      end its keys, then delete it with everything that it stored

  nestor accounts create acme --name "Acme Ltd"
  nestor accounts credit acme 250 --id invoice-17 --note "November"
  nestor keys create acme --name "billing service"

  --name NAME           with create: a name for people (default: the id)
  --id PURCHASE_ID      with credit: the same id sent again counts once (default: a new one)
  --note TEXT           with credit: kept beside the purchase
  --ledger              with rm: its rows and sums in the ledger too, which stay otherwise
  --yes                 with rm: do not ask
${sharedUsage}
See docs/guide/accounts.md.`;

const options = {
  ...texts('name', 'id', 'note'),
  ledger: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;

type Values = StoreValues<typeof options>;

const names = ['list', 'create', 'show', 'rename', 'credit', 'rm'] as const;
const verbs = { list, create, show, rename, credit, rm: remove };

export const runAccounts = storeCommand({
  name: 'accounts',
  usage,
  options,
  verbs: names,
  plan({ values, words }, context) {
    const [verb, rest] = takeVerb(words, names, 'list');
    if (values.name !== undefined && verb !== 'create') throw new UsageError('--name belongs to create.');
    if ((values.id ?? values.note) !== undefined && verb !== 'credit') {
      throw new UsageError('--id and --note belong to credit.');
    }
    if ((values.ledger || values.yes) && verb !== 'rm')
      throw new UsageError('--ledger and --yes belong to rm.');
    return verbs[verb](rest, values, context);
  },
});

const columns: readonly Column<AccountRecord>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'NAME', of: ({ name }) => name },
  { heading: 'TIER', isNumber: true, of: ({ tier }) => tier },
  { heading: 'CREDITS USD', isNumber: true, of: ({ creditsPurchasedUsd }) => creditsPurchasedUsd },
  { heading: 'STORED MB', isNumber: true, of: ({ storedBytes }) => Math.round(storedBytes / 104_857.6) / 10 },
  { heading: 'CREATED', of: ({ createdAtMs }) => toTime(createdAtMs) },
];

function list(words: readonly string[], { json }: Values, { out }: CommandContext): StoreWork {
  takeWords(words, []);
  return async ({ administration }) => {
    printRecords(out, await readAll((page) => administration.accounts.list(page)), columns, json);
  };
}

function create(words: readonly string[], { name, json }: Values, { out }: CommandContext): Creating {
  const [id] = words.length === 0 ? [undefined] : takeWords(words, ['ID']);
  if (id !== undefined && !/^[A-Za-z0-9._:@-]{1,128}$/.test(id)) {
    throw new UsageError('ID is 1 to 128 characters of A-Z, a-z, 0-9 and . _ : @ -.');
  }
  refuseName(name);
  return {
    async creates({ administration }) {
      printOne(out, await administration.accounts.create({ id, name }), json);
    },
  };
}

function rename(words: readonly string[], { json }: Values, { out }: CommandContext): StoreWork {
  const [id, name] = takeWords(words, ['ID', 'NAME']);
  refuseName(name);
  return async ({ administration }) => {
    printOne(out, await administration.accounts.rename(id, name), json);
  };
}

function show(words: readonly string[], { json }: Values, { out }: CommandContext): StoreWork {
  const [id] = takeWords(words, ['ID']);
  return async ({ administration }) => {
    const account = await administration.accounts.get(id);
    const purchases = await readAll((page) => administration.purchases.list(id, page));
    if (json) {
      printJson(out, { ...account, purchases });
      return;
    }
    printOne(out, account, false);
    if (purchases.length > 0) out.write('\n');
    printTable(out, purchases, purchaseColumns);
  };
}

const purchaseColumns: readonly Column<Purchase>[] = [
  { heading: 'PURCHASE', of: ({ id }) => id },
  { heading: 'USD', isNumber: true, of: ({ amountUsd }) => amountUsd },
  { heading: 'BOOKED', of: ({ createdAtMs }) => toTime(createdAtMs) },
  { heading: 'NOTE', of: ({ note }) => note },
];

function credit(words: readonly string[], { id, note, json }: Values, { out }: CommandContext): StoreWork {
  const [accountId, amount] = takeWords(words, ['ID', 'USD']);
  const amountUsd = Number(amount);
  if (!/^\d+(\.\d+)?$/.test(amount) || amountUsd < 0.01 || amountUsd > 1e9) {
    throw new UsageError('USD is an amount from 0.01 to 1000000000, for example 250.');
  }
  if (id === '' || (id?.length ?? 0) > 256) throw new UsageError('PURCHASE_ID is 1 to 256 characters.');
  if ((note?.length ?? 0) > 1_000) throw new UsageError('TEXT is at most 1000 characters.');
  return async ({ administration }) => {
    const booked = await administration.purchases.add({ id, accountId, amountUsd, note });
    const { purchase, account, isNew } = booked;
    if (json) {
      printJson(out, { ...purchase, account });
      return;
    }
    const { creditsPurchasedUsd, tier } = account;
    out.write(
      isNew
        ? `Booked ${purchase.id}: ${amountUsd} USD\n`
        : `${purchase.id} was booked before and counts once\n`,
    );
    out.write(`${accountId} has ${creditsPurchasedUsd} USD of credits and tier ${tier} from now on\n`);
  };
}

function remove(words: readonly string[], { ledger, yes, json }: Values, context: CommandContext): StoreWork {
  const [id] = takeWords(words, ['ID']);
  return async ({ administration }) => {
    const what = `account ${id} with its keys and everything that it stored${ledger ? ', its ledger too' : ''}`;
    if (!yes && !(await confirm(`Delete ${what}?`, context)))
      throw new UsageError(`${id} was not deleted; --yes deletes it unasked.`);
    const isGone = await administration.accounts.remove(id, ledger, context.signal);
    if (!isGone)
      throw new Fault(
        'service_unavailable',
        `Not all of ${id} is removed yet; any server on this store goes on.`,
      );
    printResult(context.out, { id, deleted: true }, `Deleted ${what}`, json);
  };
}

function printOne(out: CommandContext['out'], account: AccountRecord, isJson: boolean): void {
  if (isJson) printJson(out, account);
  else printTable(out, [account], columns);
}

function refuseName(name: string | undefined): void {
  if (name === undefined || (name !== '' && name.length <= 128)) return;
  throw new UsageError('NAME is 1 to 128 characters.');
}
