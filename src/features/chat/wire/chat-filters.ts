import { Type } from 'typebox';
import { createValidator } from '../../../kernel/http/validate.ts';
import { problemToFault } from '../../../kernel/http/validation-errors.ts';
import {
  type Filters,
  refuseConflict,
  searchFilterFields,
  toFilters as toMeant,
  type SearchFilterFields,
} from '../../search/feature.ts';

const validator = createValidator(Type.Object(searchFilterFields));

/**
 * What the filters of a request mean, on surfaces where a violation is 400. Contract 11.2. Throws Fault
 * `invalid_value` that names the field, also where the schema of the surface lets any text through.
 */
export function toFilters(fields: SearchFilterFields): Filters {
  if (!validator.check(fields)) throw problemToFault('chat', validator.explain(fields));
  refuseConflict(fields);
  return toMeant(fields);
}
