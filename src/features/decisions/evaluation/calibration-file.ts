import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Compile } from 'typebox/schema';
import { errorCode } from '../../../kernel/kit/errors.ts';
import { Calibration } from '../calibration.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import { toEngineName } from '../../../kernel/engine-names.ts';

const schema = Compile(Calibration);

/**
 * Reads a file of `nestor calibrate` for the engine that is going to use it. Throws ExampleError, one line that names
 * the file: when it cannot be read, is no calibration, or was fitted for another engine or another prompt, whose
 * temperatures would be wrong without anybody noticing.
 */
export function readCalibration(path: string, engine: string): Calibration {
  const refuse = (reason: string) => new ExampleError(`calibration ${path}: ${reason}`);
  const value = readJsonFile(path, refuse);
  if (!schema.Check(value)) {
    const version: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'version') : undefined;
    if (typeof version === 'number' && version !== 1) {
      throw refuse(`its version is ${version}; this Nestor reads version 1`);
    }
    const { instancePath = '', message = 'is not valid' } = schema.Errors(value)[1].at(-1) ?? {};
    const place = instancePath.split('/').slice(1).join('.');
    throw refuse(`not a file of "nestor calibrate": ${place === '' ? 'it' : place} ${message}`);
  }
  const again = 'fit again with "nestor calibrate"';
  if (toEngineName(value.engine) !== engine) {
    throw refuse(`fitted for the engine "${value.engine}", but "${engine}" answers; ${again}`);
  }
  if (value.promptVersion !== PROMPT_VERSION) {
    throw refuse(`fitted for prompt version ${value.promptVersion}, but this is ${PROMPT_VERSION}; ${again}`);
  }
  return value;
}

/** The engine for which a file was fitted; null where it cannot be read, of which `readCalibration` tells. */
export function engineOfCalibration(path: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return schema.Check(value) ? toEngineName(value.engine) : null;
  } catch {
    return null;
  }
}

/** Replaces the file atomically, so that a server that starts meanwhile reads the old one or the new one. */
export function writeCalibration(path: string, calibration: Calibration): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, `${JSON.stringify(calibration, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function readJsonFile(path: string, refuse: (reason: string) => ExampleError): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    throw refuse(code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refuse('not valid JSON');
  }
}
