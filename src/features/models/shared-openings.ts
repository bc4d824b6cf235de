interface Shared<Opened> {
  readonly opened: Promise<Opened>;
  users: number;
}

/**
 * Opens what has a key once for all its users. It closes with the last of them; where it cannot be opened, the next
 * tries again.
 */
export function shareOpenings<Options, Opened extends { close(): Promise<void> }>(
  open: (options: Options) => Promise<Opened>,
  keyOf: (options: Options) => string,
): (options: Options) => Promise<Opened> {
  const shared = new Map<string, Shared<Opened>>();
  return async (options) => {
    const key = keyOf(options);
    const own = shared.get(key) ?? { opened: open(options), users: 0 };
    shared.set(key, own);
    own.users++;
    const leave = (): boolean => {
      own.users--;
      if (own.users === 0) shared.delete(key);
      return own.users === 0;
    };
    try {
      const opened = await own.opened;
      let isHeld = true;
      return {
        ...opened,
        async close() {
          if (!isHeld) return;
          isHeld = false;
          if (leave()) await opened.close();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
}
