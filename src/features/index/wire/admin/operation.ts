import type { Operation } from '../../../../kernel/http/operation.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { sourceOperations } from '../source-operations.ts';
import { OperatorAddSourceRequest } from '../source-schema.ts';

/** Of all accounts: folders are those of the server, so only the operator may name them. */
export function adminIndexOperations({ admin }: Settings): readonly Operation<Services>[] {
  return admin ? indexOperations : [];
}

const indexOperations = sourceOperations({
  common: { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] },
  path: '/admin/v1/index/sources',
  names: {
    list: [
      'adminListIndexSources',
      'Lists the sources of the index with their documents and what is being read, oldest first',
    ],
    add: [
      'adminAddIndexSource',
      'Adds a folder or an address to the index, or changes its options, and begins to read it',
    ],
    refresh: [
      'adminRefreshIndexSource',
      'Begins to read what changed in a source; the list tells how far it is',
    ],
    remove: ['adminRemoveIndexSource', 'Removes a source and all of its documents from the index'],
  },
  body: OperatorAddSourceRequest,
  ownerOf: () => 'operator',
});
