/** A place where any number can wait until something has changed, and then look again. */
export interface Gate {
  opened(): Promise<void>;
  open(): void;
}

/** A gate that is shut again behind those who waited. */
export function createGate(): Gate {
  let next: PromiseWithResolvers<void> | undefined;
  return {
    opened: () => (next ??= Promise.withResolvers<void>()).promise,
    open() {
      next?.resolve();
      next = undefined;
    },
  };
}
