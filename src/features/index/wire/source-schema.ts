import { Type, type Static } from 'typebox';
import { Count, named, Nullable, orNull, Strict } from '../../../kernel/kit/schema.ts';
import { Time } from '../../accounts/feature.ts';

const patternsMax = 100;
const Texts = (name: string) =>
  Nullable(
    Type.Array(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        errorMessage: `${name} holds texts of 1 to 1000 characters`,
      }),
      { maxItems: patternsMax },
    ),
    { errorMessage: `${name} must be a list of at most ${patternsMax} texts` },
  );
const Whole = (name: string, minimum: number, maximum: number) =>
  Nullable(Type.Integer({ minimum, maximum }), {
    errorMessage: `${name} must be a whole number from ${minimum} to ${maximum}`,
  });

const addFields = {
  location: Type.String({
    minLength: 1,
    maxLength: 4_096,
    errorMessage: 'location must be a string of 1 to 4096 characters',
  }),
  depth: Whole('depth', 0, 100),
  include: Texts('include'),
  exclude: Texts('exclude'),
  hosts: Texts('hosts'),
  pages_max: Whole('pages_max', 1, 1_000_000),
  every: Nullable(Type.String({ maxLength: 5 }), {
    errorMessage: 'every must be a time such as 30m, 12h or 1d',
  }),
};

const addMeanings = {
  include: 'Globs over the path; only what matches one is read.',
  exclude: 'Globs over the path; what matches one is not read.',
  hosts: 'Hosts beside its own to which links of an address may lead.',
  pages_max: 'Addresses of a site at most; 10,000 by default.',
  every: 'How often a server reads it again: `30m`, `12h`, `1d`. Without it, when it is asked to.',
};

export const AddSourceRequest = Strict(addFields, {
  ...addMeanings,
  location: 'An `http://` or `https://` address.',
  depth: 'Links followed from the page (default 0).',
});
export type AddSourceRequest = Static<typeof AddSourceRequest>;

export const OperatorAddSourceRequest = Strict(
  {
    ...addFields,
    account_id: Nullable(Type.String({ minLength: 1, maxLength: 200 }), {
      errorMessage: 'account_id must be the id of an account',
    }),
  },
  {
    ...addMeanings,
    location: 'An absolute path of a folder on the server, or an `http://` or `https://` address.',
    depth: 'Links followed from the page (default 0), or levels below the folder (default all).',
    account_id: 'Account that alone finds it; all do without it.',
  },
);
export type OperatorAddSourceRequest = Static<typeof OperatorAddSourceRequest>;

export const InSource = Type.Object({ source_id: Type.String() });

const Options = Strict({
  depth: orNull(Count),
  include: Type.Array(Type.String()),
  exclude: Type.Array(Type.String()),
  hosts: Type.Array(Type.String()),
  pages_max: Count,
});

const Progress = Strict({ done: Count, total: Count, failed: Count });

const Outcome = Strict({
  added: Count,
  changed: Count,
  unchanged: Count,
  removed: Count,
  duplicates: Count,
  failed: Count,
  failures: Type.Array(Strict({ url: Type.String(), reason: Type.String() })),
});

export const IndexSource = named(
  'Index source',
  Strict(
    {
      object: Type.Literal('index_source'),
      id: Type.String(),
      kind: Type.Enum(['folder', 'web', 'docs', 'texts']),
      visibility: Type.Enum(['shared', 'account']),
      account_id: orNull(Type.String()),
      location: Type.String(),
      options: Options,
      every: orNull(Type.String()),
      documents: Count,
      embedded: Count,
      added_at: Time,
      refreshed_at: orNull(Time),
      next_refresh_at: orNull(Time),
      state: Type.Enum(['new', 'queued', 'running', 'ready', 'unfinished', 'failed', 'set_aside']),
      error: orNull(Type.String()),
      progress: orNull(Progress),
      outcome: orNull(Outcome),
    },
    {
      kind:
        '`docs` is the documentation of this server, which it looks after by itself; `texts` are the documents that an ' +
        'account sent.',
      visibility: '`shared`: every account finds it. `account`: only the one that `account_id` names.',
      every: 'As it was given; null where no server reads it by itself.',
      documents: 'In the index now.',
      embedded:
        'Those with vectors of the engine of embeddings that is configured; a server gives them to the others ' +
        'behind its requests, and until then they are found by their words.',
      state:
        '`unfinished`: a refresh was broken off, and the next goes on there. `failed`: the source itself could ' +
        'not be read. `set_aside`: the process ended or hung twice at one of its addresses, and no server reads it ' +
        'again until a refresh is asked for. `new`: it was not read yet.',
      error: 'With `failed` and `set_aside`: why.',
      progress: 'Of a refresh under way in the server that answers; `total` as far as it is known.',
      outcome: 'What the last refresh came to, in documents, with some of what failed.',
    },
  ),
);
export type IndexSource = Static<typeof IndexSource>;

export const RemovedSource = Strict(
  {
    object: Type.Literal('index_source_removal'),
    id: Type.String(),
    location: Type.String(),
    documents_removed: Count,
  },
  { documents_removed: 'Documents that it had.' },
);
export type RemovedSource = Static<typeof RemovedSource>;
