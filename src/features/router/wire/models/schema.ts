import { Type } from 'typebox';
import { named, orNull, Strict } from '../../../../kernel/kit/schema.ts';
import { Pricing } from '../../../models/feature.ts';

const Name = orNull(Type.String());

export const RouterModel = named(
  'RouterModel',
  Strict(
    {
      id: Type.String(),
      object: Type.Literal('model'),
      type: Type.Literal('model'),
      created: Type.Integer(),
      created_at: Type.String(),
      display_name: Type.String(),
      owned_by: Type.String(),
      pricing: Pricing,
    },
    {
      id: '`provider/model`, to be sent as `model`.',
      created: 'Unix seconds; 0 if unknown.',
      created_at: 'The same instant as ISO 8601.',
    },
  ),
);

export const RouterModelList = Strict({
  object: Type.Literal('list'),
  data: Type.Array(RouterModel),
  has_more: Type.Literal(false),
  first_id: Name,
  last_id: Name,
});

export const RouterModelParams = Type.Object({
  provider: Type.String({ minLength: 1, description: 'What stands before the slash of the id.' }),
  name: Type.String({ minLength: 1, description: 'What stands behind it; a slash in it is sent as `%2F`.' }),
});
