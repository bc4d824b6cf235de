import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { Fault } from '../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import { createPace, runAtOnce, runInSlices } from '../../kernel/kit/slices.ts';
import { isImagePart, renderStateInSteps } from './prompt.ts';
import type { Entry, Image, State } from './engine.ts';

const imagesMax = 8;
const pixelsMax = 64_000_000;
const tilesMax = 2_048;
const tileSide = 32;
/** Objects and lists that are searched in one step. */
const stepLength = 256;

const unsupported = 'image_url is not a supported data URL (PNG, JPEG or WebP, base64)';

/**
 * Checks and decodes the image parts of a state. `root` names the state in `param`. Nothing is ever fetched.
 * Throws Fault `invalid_image`.
 */
export function collectImages(state: Entry, root: string): Image[] {
  return runAtOnce(collectImagesInSteps(state, root));
}

export function* collectImagesInSteps(state: Entry, root: string): Generator<void, Image[]> {
  const images: Image[] = [];
  if (typeof state === 'string') return images;
  for (const found of findParts(state, { name: root, outer: null }, false, createPace(stepLength))) {
    yield;
    if (found === null) continue;
    const { part, way, inArray } = found;
    const param = toPath(way);
    if (!inArray) throw misplaced(param);
    if (images.length === imagesMax) {
      throw new Fault('invalid_image', `A request may carry at most ${imagesMax} images`, { param: root });
    }
    images.push(readImage(part['image_url'], param));
  }
  return images;
}

/** Throws Fault `invalid_image` for an image part anywhere in it. */
export function* refuseImagesInSteps(entry: Entry | null | undefined, param: string): Generator<void, void> {
  if (entry === null || entry === undefined || typeof entry === 'string') return;
  for (const found of findParts(entry, { name: param, outer: null }, false, createPace(stepLength))) {
    if (found !== null) throw misplaced(toPath(found.way));
    yield;
  }
}

function misplaced(param: string): Fault {
  return new Fault('invalid_image', 'image parts are only allowed in a state array', { param });
}

interface FoundPart {
  readonly part: { readonly [name: string]: Json };
  readonly way: Way;
  readonly inArray: boolean;
}

/** Names and indices that lead to a value, the last one first, so that nothing is copied for those that hold no image. */
interface Way {
  readonly name: string | number;
  readonly outer: Way | null;
}

function toPath({ name, outer }: Way): string {
  return outer === null ? String(name) : `${toPath(outer)}.${name}`;
}

/** Yields null where `pace` says that others should run. Depth is bounded by the parser, so this may call itself. */
function* findParts(
  value: object,
  way: Way,
  inArray: boolean,
  pace: () => boolean,
): Generator<FoundPart | null> {
  if (pace()) yield null;
  if (Array.isArray(value)) {
    for (const [name, item] of (value as readonly Json[]).entries()) {
      if (isContainer(item)) yield* findParts(item, { name, outer: way }, true, pace);
    }
  } else if (isImagePart(value as JsonObject)) {
    yield { part: value as JsonObject, way, inArray };
  } else {
    // A list of pairs of 100,000 names would be made in one step that lasts.
    for (const name of Object.keys(value)) {
      const item = (value as JsonObject)[name] as Json;
      if (isContainer(item)) yield* findParts(item, { name, outer: way }, false, pace);
    }
  }
}

function isContainer(value: Json): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

const dataUrl = /^data:image\/(?:png|jpeg|webp);base64,/;

function readImage(imageUrl: Json | undefined, param: string): Image {
  const url = isJsonObject(imageUrl) ? imageUrl['url'] : imageUrl;
  const head = typeof url === 'string' ? dataUrl.exec(url)?.[0] : undefined;
  if (typeof url !== 'string' || head === undefined) throw new Fault('invalid_image', unsupported, { param });
  const bytes = decodeBase64(url.slice(head.length));
  const format = bytes === null ? null : formatOf(bytes);
  if (bytes === null || format === null) throw new Fault('invalid_image', unsupported, { param });
  const { width, height } = measure(bytes, format, param);
  if (width * height > pixelsMax) {
    throw new Fault('invalid_image', `An image may have at most ${pixelsMax / 1e6} megapixels`, { param });
  }
  return { format, bytes, width, height, tokens: visionTokens(width, height) };
}

const lastGroup = /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/**
 * Null for what is not strict base64: Node would skip over foreign characters. What it decoded is encoded again and
 * compared, which takes a seventh of the time of an expression over the text.
 */
function decodeBase64(text: string): Buffer | null {
  if (text.length % 4 !== 0 || !lastGroup.test(text.slice(-4))) return null;
  const bytes = Buffer.from(text, 'base64');
  // Bits of the last group that mean nothing may be set.
  return bytes.toString('base64').slice(0, -4) === text.slice(0, -4) ? bytes : null;
}

/** By signature: the declared type is not believed. */
function formatOf(bytes: Buffer): Image['format'] | null {
  if (bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (bytes.toString('latin1', 0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  return null;
}

/** No other reader of the package is loaded, so that none is reached: it would ask all of them about what is no such image. */
const readers = { png: PNG, jpeg: JPG, webp: WEBP } as const;

function measure(
  bytes: Buffer,
  format: Image['format'],
  param: string,
): { readonly width: number; readonly height: number } {
  const reader = readers[format];
  try {
    if (reader.validate(bytes)) {
      const { width, height } = reader.calculate(bytes);
      if (width >= 1 && height >= 1) return { width, height };
    }
  } catch (error) {
    throw new Fault('invalid_image', unsupported, { param, cause: error });
  }
  throw new Fault('invalid_image', unsupported, { param });
}

/** One token per tile, after scaling down to at most 2,048 tiles with the aspect ratio kept. */
export function visionTokens(width: number, height: number): number {
  const tiles = (scale: number) =>
    Math.max(1, Math.ceil((width * scale) / tileSide)) * Math.max(1, Math.ceil((height * scale) / tileSide));
  if (tiles(1) <= tilesMax) return tiles(1);
  // Tiles grow with the scale, so the largest scale that fits is found by halving.
  let low = 0;
  let high = 1;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (tiles(middle) <= tilesMax) low = middle;
    else high = middle;
  }
  return tiles(low);
}

/** Reads a state in slices. `root` names it in errors. Throws Fault `invalid_image`, and as the signal says. */
export async function readState(entry: Entry, root: string, signal: AbortSignal): Promise<State> {
  if (typeof entry === 'string') return { entry, text: entry, images: [] };
  const text = await runInSlices(renderStateInSteps(entry), signal);
  return { entry, text, images: await runInSlices(collectImagesInSteps(entry, root), signal) };
}
