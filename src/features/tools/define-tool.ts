import { Type, type Static, type TObject, type TProperties } from 'typebox';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { Strict } from '../../kernel/kit/schema.ts';
import type { FunctionTool } from '../models/feature.ts';
import type { SandboxFile, SharedRunner } from '../sandbox/feature.ts';
import type { Finance, PageReader, Search } from '../search/feature.ts';
import type { Tool, ToolItems, ToolProgresses, ToolUse } from './tool.ts';

/** Services of the server that tools work with. Null where nothing is configured. */
export interface ToolDependencies {
  readonly search: Search;
  readonly pages: PageReader;
  readonly sandbox: SharedRunner | null;
  readonly finance: Finance | null;
  /** The price of a use on this server. Unit: USD. */
  readonly priceOf: (price: ToolPrice) => number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Logs a failure of which the model hears only a few words. */
  readonly onFailure: OnFailure;
}

/** A skill that a run may load. */
export interface LoadableSkill {
  readonly name: string;
  readonly description: string;
  /** Resolves to the Markdown of the instructions, and the paths of the files that come with it. */
  load(signal: AbortSignal): Promise<{ readonly instructions: string; readonly paths: readonly string[] }>;
}

/** Parts of a request that concern its tools, beside the options of each. */
export interface ToolContext {
  readonly skills: readonly LoadableSkill[];
  /** Reads the files of the skills, which the sandbox offers for reading. Throws Fault `invalid_value` for too many bytes. */
  readonly skillFiles: (bytesMax: number, signal: AbortSignal) => Promise<readonly SandboxFile[]>;
  /** Texts of others than the model. Only addresses that they, sources or pages name are read; null reads any. */
  readonly named: readonly string[] | null;
}

/** The name under which uses are billed, and the price of one unless the operator set another. Unit: USD. */
export interface ToolPrice {
  readonly name: string;
  readonly usd: number;
}

/** An output item of the response, made of a result of the type that it is declared for. */
export interface ToolOutput<Item> {
  /** The `type` of the item on the wire, and the schema of the whole. */
  readonly type: string;
  readonly schema: TObject;
  /** `fileUrl` returns the address at which a file of the response is read. */
  readonly convert: (item: Item, fileUrl: (fileId: string) => string) => object;
  /** The file of the response that the item announces. */
  readonly fileOf?: (item: Item) => {
    readonly id: string;
    readonly filename: string;
    readonly bytes: Uint8Array;
  };
}

/** An event of the stream, made of progress of the type that it is declared for. */
export interface ToolEvent<Progress> {
  readonly event: string;
  /** Whether the event carries the thought with which the model called the tool. */
  readonly hasThought: boolean;
  readonly convert: (progress: Progress) => object;
}

/** Everything that a tool opens with for one run. */
export interface ToolSetup<Options> extends ToolDependencies, ToolContext {
  readonly options: Options;
  /** Bills uses; of `count`, only `paid` cost anything. */
  readonly charge: (count: number, paid?: number) => readonly ToolUse[];
}

/** The tool of one run: its description and the JSON Schema of its arguments for the model, and the call. */
export interface OpenedTool {
  readonly description: string;
  readonly parameters: FunctionTool['parameters'];
  readonly run: Tool['call'];
}

interface ToolSpec<Fields extends TProperties, Options> {
  /** As callers and models name it. Never renamed. */
  readonly name: string;
  /**
   * The object by which a caller asks for it in `tools`: its fields beside `type`, and the options that they mean.
   * `param` says where the object stands in the request, for a Fault. Without it, callers cannot ask for the tool.
   */
  readonly request?: {
    readonly fields: Fields;
    readonly toOptions: (sent: Static<TObject<Fields>>, param: string) => Options;
  };
  /** Whether a request gets the tool without asking for it. Never by default. */
  readonly isImplied?: (context: Pick<ToolContext, 'skills'>) => boolean;
  /** Whether the services that it needs are configured. Always by default. */
  readonly isAvailable?: (dependencies: ToolDependencies) => boolean;
  /** Null is free of charge. */
  readonly price: ToolPrice | null;
  /** Whether a use of it finds pages to cite. */
  readonly cites?: boolean;
  readonly items: { readonly [Type in keyof ToolItems]?: ToolOutput<ToolItems[Type]> };
  readonly progress?: { readonly [Type in keyof ToolProgresses]?: ToolEvent<ToolProgresses[Type]> };
  /** The tool of one run; null where it is not available. */
  readonly open: (setup: ToolSetup<Options>) => OpenedTool | null;
}

/** A declared tool. Its options have passed through its own `toOptions`. */
export interface ToolDefinition extends Required<
  Pick<ToolSpec<{}, unknown>, 'name' | 'isImplied' | 'isAvailable' | 'price'>
> {
  /** Schema of the object by which a caller asks for it; null where callers cannot. */
  readonly request: TObject | null;
  readonly toOptions: (sent: object, param: string) => unknown;
  readonly items: Readonly<Record<string, ToolOutput<never>>>;
  readonly progress: Readonly<Record<string, ToolEvent<never>>>;
  /** Null where it is not available. */
  readonly open: (options: unknown, dependencies: ToolDependencies, context: ToolContext) => Tool | null;
}

/**
 * Declares a tool. The schema of requests, reserved names, validation, billing, output items and events follow from the
 * list of tools in `index.ts`.
 */
export function defineTool<Fields extends TProperties = {}, Options = undefined>(
  spec: ToolSpec<Fields, Options>,
): ToolDefinition {
  const { name, request, price, cites = false, items, progress = {} } = spec;
  return {
    name,
    request: request === undefined ? null : Strict({ type: Type.Literal(name), ...request.fields }),
    // The schema accepted it.
    toOptions: (sent, param) => request?.toOptions(sent as Static<TObject<Fields>>, param),
    isImplied: spec.isImplied ?? (() => false),
    isAvailable: spec.isAvailable ?? (() => true),
    price,
    items,
    progress,
    open(options, dependencies, context) {
      const usd = price === null ? 0 : dependencies.priceOf(price);
      const opened = spec.open({
        ...dependencies,
        ...context,
        options: options as Options,
        charge: (count, paid = count) =>
          price === null || count === 0 ? [] : [{ name: price.name, count, costUsd: paid * usd }],
      });
      if (opened === null) return null;
      const { description, parameters, run } = opened;
      return { definition: { name, description, parameters, strict: false }, cites, call: run };
    },
  };
}

/** An output item with the fields that `convert` fills. */
export function outputItem<Item>(
  type: string,
  fields: TProperties,
  convert: ToolOutput<Item>['convert'],
  more: Pick<ToolOutput<Item>, 'fileOf'> = {},
): ToolOutput<Item> {
  const schema = Strict({ type: Type.Literal(type), ...fields });
  return { type, schema, convert: (item, fileUrl) => ({ type, ...convert(item, fileUrl) }), ...more };
}

/** An event about the reasoning of a model, of which the tool is a part. */
export function reasoningEvent<Progress>(
  name: string,
  convert: (progress: Progress) => object,
): ToolEvent<Progress> {
  return { event: `response.reasoning.${name}`, hasThought: true, convert };
}
