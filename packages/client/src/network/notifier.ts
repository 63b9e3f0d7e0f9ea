/** Wakes all waiters when something changes; they then check their condition again. */
export interface Notifier {
  changed(): Promise<void>;
  open(): void;
}

/** A notifier; each change wakes the current waiters once. */
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
