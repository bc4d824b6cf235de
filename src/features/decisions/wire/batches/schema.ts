import { Type, type Static } from 'typebox';
import type { Settings } from '../../../../kernel/feature.ts';
import {
  Count,
  described,
  named,
  Nullable,
  orNull,
  Probability,
  Strict,
  withErrors,
} from '../../../../kernel/kit/schema.ts';
import { listOf, page } from '../../../accounts/feature.ts';
import { rowsMax } from '../../batches/lines.ts';
import { Entry } from '../../entry.ts';
import { Question, questionsByName } from '../../question.ts';
import { DeciderName } from '../deciders.ts';
import { Instant } from '../instant.ts';

const Questions = questionsByName(Question);
const RowName = Nullable(Type.Union([Type.String({ maxLength: 512 }), Type.Integer()]), {
  errorMessage: 'id must be a string of at most 512 characters, or an integer',
});

/** A line of a batch; further fields are passed over. */
export const BatchLine = Type.Object({
  id: RowName,
  custom_id: RowName,
  state: withErrors(Entry, { errorMessage: 'state must be a string, object or array' }),
  questions: Type.Optional(Questions),
});
export type BatchLine = Static<typeof BatchLine>;

const about = (settings: Settings) =>
  described(
    { model: DeciderName(settings, 'decisions'), questions: Type.Optional(Questions) },
    { questions: 'Asked of every row that has none of its own.' },
  );

/** What stands beside the file of an upload. */
export const BatchFields = (settings: Settings) => Type.Object(about(settings));
export type BatchFields = Static<ReturnType<typeof BatchFields>>;

/** A batch of a file that lies on the server. */
export const BatchReference = (settings: Settings) =>
  Strict(
    { account_id: Type.String({ minLength: 1 }), file: Type.String({ minLength: 1 }), ...about(settings) },
    {
      account_id: 'Account that owns the batch, and pays.',
      file: 'Path of a file of JSON lines in the data folder.',
    },
  );
export type BatchReference = Static<ReturnType<typeof BatchReference>>;

export const Batch = named(
  'DecisionBatch',
  Strict(
    {
      object: Type.Literal('decision.batch'),
      id: Type.String(),
      status: Type.Enum(['queued', 'running', 'completed', 'cancelled', 'expired']),
      model: Type.String(),
      name: orNull(Type.String()),
      rows: Strict({
        total: Type.Integer({ minimum: 1, maximum: rowsMax }),
        answered: Count,
        failed: Count,
        left: Count,
      }),
      progress: Probability,
      rows_per_second: orNull(Type.Number({ minimum: 0 })),
      seconds_left: orNull(Count),
      waiting_for: orNull(Type.Enum(['storage', 'engine', 'server'])),
      usage: Strict({ input_tokens: Count, output_tokens: Count }),
      created_at: Instant,
      started_at: orNull(Instant),
      ended_at: orNull(Instant),
      expires_at: Instant,
    },
    {
      name: 'Name of the uploaded file.',
      rows: '`failed` rows have an error in place of answers, and are not billed.',
      progress: 'Share of the rows that have a result.',
      rows_per_second: 'Mean since the first row; null before it.',
      seconds_left: 'At this rate; null where none is known, and when the batch is over.',
      waiting_for:
        '`storage`: the account keeps as much as it may. `engine`: it is away or being opened. `server`: something went wrong, and is tried again.',
      expires_at:
        'When it is deleted with its results; an open batch then ends as `expired` and is kept once as long.',
    },
  ),
);
export type Batch = Static<typeof Batch>;

export const BatchList = listOf(Batch);
export const BatchPage = Type.Object(page);
export const InBatch = Type.Object({ batch_id: Type.String() });

/** No file has as many. Columns of the store hold little more. */
export const lineMax = 2_000_000_000;

export const ResultsQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: lineMax,
      description: '`line` of the last result that you have.',
      errorMessage: 'after must be the number of a line',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: rowsMax,
      description: 'Results at most; all that there are by default.',
      errorMessage: `limit must be a whole number from 1 to ${rowsMax}`,
    }),
  ),
});

export const Results = Type.Unsafe<string>({
  type: 'string',
  contentMediaType: 'application/x-ndjson',
  description:
    'A line of JSON for each row, in the order of the lines: `line`, the `id` or `custom_id` of the row, and either `answers` and `usage` or `error`.',
});
