import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { required, textKey } from '../table-columns.ts';

/** When the store was last probed and last maintained. */
export const store: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('instants')
      .$call(textKey('name'))
      .$call(required('bigint', 'at_ms'))
      .execute();
    // For an existing store, the latest of its rows says until when it was used.
    await sql`insert into instants (name, at_ms) select 'maintained', max(at_ms) from (
      select max(created_at_ms) as at_ms from jobs union all select max(created_at_ms) from responses
      union all select max(seen_at_ms) from processes) as newest having max(at_ms) is not null`.execute(db);
  },
};
