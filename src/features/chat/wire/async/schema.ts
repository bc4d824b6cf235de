import { Type, type Static } from 'typebox';
import { Uuid } from '../../../../kernel/http/parameters.ts';
import { described, Literals, named, Nullable, Open, orNull, Strict } from '../../../../kernel/kit/schema.ts';
import { ChatRequest } from '../chat-schema.ts';
import { ChatResponse } from '../chat-response.ts';
import type { Settings } from '../../../../kernel/feature.ts';

const keyMessage = 'idempotency_key must have 1 to 255 characters';

/** Contract 10. Unknown fields are passed over. */
export function JobRequest(settings: Settings) {
  return Open(
    {
      request: ChatRequest(settings),
      idempotency_key: Nullable(Type.String({ minLength: 1, maxLength: 255, errorMessage: keyMessage }), {
        errorMessage: keyMessage,
      }),
    },
    { idempotency_key: 'A request that is sent again under the same key is the same job, for seven days.' },
  );
}

const Instant = orNull(Type.Integer());
const summary = described(
  {
    id: Type.String({ format: 'uuid' }),
    model: Type.String(),
    status: Literals(['CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED']),
    created_at: Type.Integer(),
    started_at: Instant,
    completed_at: Instant,
    failed_at: Instant,
  },
  { created_at: 'Unix seconds, as are the others.' },
);

const JobSummary = Strict(summary);
export type JobSummary = Static<typeof JobSummary>;

export const Job = named(
  'Job',
  Strict(
    {
      ...summary,
      response: orNull(ChatResponse),
      error_message: orNull(Type.String()),
    },
    { response: 'Null until the job is completed.', error_message: 'Null unless the job failed.' },
  ),
);
export type Job = Static<typeof Job>;

export const JobList = Strict(
  { requests: Type.Array(JobSummary), next_token: Type.String() },
  { next_token: 'Empty on the last page.' },
);

export const ListQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Jobs of a page, 20 by default.' }),
  ),
  next_token: Type.Optional(Type.String({ minLength: 1, description: '`next_token` of the page before.' })),
});

export const JobParams = Type.Object({ api_request: Uuid });
