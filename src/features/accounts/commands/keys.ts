import type { KeyRecord } from '../key-records.ts';
import { printJson, printRecords, printResult, toTime, type Column } from '../../../kernel/commands/print.ts';
import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import {
  readAll,
  storeCommand,
  sharedUsage,
  type StoreTools,
  type StoreValues,
  type StoreWork,
} from './store-command.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

const usage = `nestor keys: keys of an account

  nestor keys list [ACCOUNT]                 every key, revoked ones too; never a secret
  nestor keys create ACCOUNT [--name NAME]   a new one, printed now and never again
  nestor keys revoke ACCOUNT KEY             end one; KEY is its id or its last four characters

  nestor keys create acme --name "billing service"
  nestor keys list acme
  nestor keys revoke acme 5f2b90c4d1aa

list needs no ACCOUNT where there is only one. Keys of the configuration are in no list here and end by a change of the
configuration.

  --name NAME           with create: what the key is for
${sharedUsage}
See docs/guide/keys.md.`;

const options = { name: { type: 'string' } } as const;

type Values = StoreValues<typeof options>;

/** The last four characters of a key may begin with a dash. No option is that short, so behind `--` they are a word. */
function endsLast(argv: readonly string[]): readonly string[] {
  const isEnd = (argument: string) => /^-[\w-]{3}$/.test(argument);
  return argv.some(isEnd)
    ? [...argv.filter((argument) => !isEnd(argument)), '--', ...argv.filter(isEnd)]
    : argv;
}

const names = ['list', 'create', 'revoke'] as const;
const verbs = { list, create, revoke };

const run = storeCommand({
  name: 'keys',
  usage,
  options,
  verbs: names,
  plan({ values, words }, context) {
    const [verb, rest] = takeVerb(words, names, null);
    if (values.name !== undefined && verb !== 'create') throw new UsageError('--name belongs to create.');
    return verbs[verb](rest, values, context);
  },
});

export const runKeys: typeof run = Object.assign(
  (...[argv, context]: Parameters<typeof run>) => run(endsLast(argv), context),
  { shape: run.shape },
);

const columns: readonly Column<KeyRecord>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'ENDS WITH', of: ({ last4 }) => last4 },
  { heading: 'KIND', of: ({ kind }) => kind },
  { heading: 'NAME', of: ({ name }) => name },
  { heading: 'CREATED', of: ({ createdAtMs }) => toTime(createdAtMs) },
  { heading: 'LAST USED', of: ({ lastUsedAtMs }) => toTime(lastUsedAtMs) },
  { heading: 'REVOKED', of: ({ revokedAtMs }) => toTime(revokedAtMs) },
];

function list(words: readonly string[], { json }: Values, { out }: CommandContext): StoreWork {
  const [named] = words.length === 0 ? [null] : takeWords(words, ['ACCOUNT']);
  return async ({ administration }) => {
    const account = named ?? (await onlyAccount(administration));
    printRecords(out, await readAll((page) => administration.keys.list(account, page)), columns, json);
  };
}

/** Throws UsageError where there is none, or more than one. */
async function onlyAccount({ accounts }: StoreTools['administration']): Promise<string> {
  const { items } = await accounts.list({ limit: 2 });
  const [only] = items;
  if (only === undefined)
    throw new UsageError('There is no account yet: nestor accounts create ACCOUNT makes one.');
  if (items.length > 1) throw new UsageError('There are several accounts: say of which ACCOUNT.');
  return only.id;
}

function create(words: readonly string[], { name, json }: Values, { out, err }: CommandContext): StoreWork {
  const [account] = takeWords(words, ['ACCOUNT']);
  if (name === '' || (name?.length ?? 0) > 128) throw new UsageError('NAME is 1 to 128 characters.');
  return async ({ administration }) => {
    const { key, secret } = await administration.keys.create(account, name ?? null);
    if (json) {
      printJson(out, { ...key, secret });
      return;
    }
    // The key alone on stdout, so that KEY=$(nestor keys create acme) works.
    out.write(`${secret}\n`);
    err.write(`Key ${key.id} of ${account}, shown only now: Nestor keeps its hash\n`);
  };
}

function revoke(words: readonly string[], { json }: Values, { out }: CommandContext): StoreWork {
  const [account, idOrLast4] = takeWords(words, ['ACCOUNT', 'KEY']);
  return async ({ administration }) => {
    const key = await administration.keys.revoke(account, idOrLast4);
    printResult(
      out,
      key,
      `Revoked ${key.id}, which ends with ${key.last4}: no server takes it any more`,
      json,
    );
  };
}
