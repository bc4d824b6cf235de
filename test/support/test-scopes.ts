import type { AsyncResource, createHook, HookCallbacks } from 'node:async_hooks';
import type { test as nodeTest } from 'node:test';

/** What `node:test` makes of `test`, `suite` and `before`. */
const kinds: ReadonlySet<string> = new Set(['Test', 'Suite', 'TestHook']);

/**
 * Loads `node:test` so that it knows by AsyncLocalStorage in which test something happens. By itself it follows every
 * promise and every handle with a hook, which took a fifth of the CPU time of a process that serves (measured). Where
 * Node asks for no hook any more, nothing changes.
 */
export async function loadTests(): Promise<typeof nodeTest> {
  const hooks = process.getBuiltinModule('node:async_hooks');
  const original = { createHook: hooks.createHook, executionAsyncId: hooks.executionAsyncId };
  const scope = new hooks.AsyncLocalStorage<number>();
  let asked: HookCallbacks = {};
  hooks.createHook = (callbacks: HookCallbacks): ReturnType<typeof createHook> => {
    asked = callbacks;
    const hook = { enable: () => hook, disable: () => hook };
    return hook;
  };
  hooks.executionAsyncId = () => scope.getStore() ?? original.executionAsyncId();
  const { test } = await import('node:test');
  Object.assign(hooks, original);

  const { prototype } = hooks.AsyncResource;
  const run = Reflect.get(prototype, 'runInAsyncScope');
  prototype.runInAsyncScope = function enter<This, Result>(
    this: AsyncResource,
    work: (this: This, ...args: unknown[]) => Result,
    on?: This,
    ...args: unknown[]
  ): Result {
    if (!kinds.has(this.constructor.name))
      return run.call(this, () => Reflect.apply(work, on, args)) as Result;
    const id = this.asyncId();
    asked.init?.(id, 'Test', 0, this);
    // Inside, because the resource itself brings back the storage that it was made with.
    return run.call(this, () => scope.run(id, () => Reflect.apply(work, on, args))) as Result;
  };
  return test;
}
