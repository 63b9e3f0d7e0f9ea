/** Lets several reasons pause one source: it resumes when the last reason is gone. */
import type { Holdable } from "../linux/flow.ts";

/** Makes handles on a source, one for each reason. A handle that is paused twice is resumed once. */
export function createHolds(source: Holdable): () => Holdable {
  const reasons = new Set<Holdable>();
  return () => {
    const handle: Holdable = {
      pause() {
        reasons.add(handle);
        source.pause();
      },
      resume() {
        if (reasons.delete(handle) && reasons.size === 0) source.resume();
      },
    };
    return handle;
  };
}
