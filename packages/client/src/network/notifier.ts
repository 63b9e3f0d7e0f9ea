/** A place where any number can wait until something has changed, and then look again. */
export interface Notifier {
  changed(): Promise<void>;
  open(): void;
}

/** A gate that is shut again behind those who waited. */
export function createNotifier(): Notifier {
  let next: PromiseWithResolvers<void> | undefined;
  return {
    changed: () => (next ??= Promise.withResolvers<void>()).promise,
    open() {
      next?.resolve();
      next = undefined;
    },
  };
}
