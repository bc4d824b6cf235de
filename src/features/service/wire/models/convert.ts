import type { KnownModel as Known, ModelPulls } from '../../../models/feature.ts';
import type { KnownModel, ModelFile } from './schema.ts';

type File = Awaited<ReturnType<ModelPulls['files']>>[number];

export function toModelFile({
  name,
  form,
  does,
  decidesWith,
  sizeBytes,
  licence,
  usedBy,
  problem,
}: File): ModelFile {
  return {
    object: 'model_file',
    name,
    form,
    does: [...does],
    decides_with: decidesWith,
    size_bytes: sizeBytes,
    licence,
    used_by: [...usedBy],
    problem,
  };
}

export function toKnownModel({ model, sizeBytes, state, progress, error }: Known): KnownModel {
  const { name, about, repository, revision, licence, engine } = model;
  return {
    object: 'known_model',
    name,
    about,
    source: `${repository}@${revision}`,
    size_bytes: sizeBytes,
    licence: { ...licence },
    engine,
    state,
    progress,
    error,
  };
}
