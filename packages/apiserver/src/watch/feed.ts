/** Watches with the same events in the same format share one listener and the bytes of each event. */
import type { Format } from "../encode/media.ts";
import type { Change } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import type { Selection } from "../verbs/selection.ts";
import { sharedFrame, type Frame } from "./frames.ts";

/** A change with its shared frame. */
export interface FeedEvent {
  readonly revision: number;
  readonly frame: Frame;
  /** The revision of the previous change, whether it was visible or not. */
  readonly before: number;
}

export interface Follower {
  take(event: FeedEvent): void;
  fail(error: unknown): void;
}

/** The selected objects and the format. */
export interface FeedPlan {
  readonly store: Store;
  readonly resource: string;
  readonly selection: Pick<Selection, "key" | "prefix">;
  readonly format: Format;
}

const feeds = new WeakMap<Store, Map<string, Feed>>();

/** Sends stored changes to a watch until the returned function is called. */
export function followFeed(plan: FeedPlan, follower: Follower): () => void {
  const { store, resource, selection, format } = plan;
  const ofStore = feeds.get(store) ?? new Map<string, Feed>();
  feeds.set(store, ofStore);
  const name = [format, resource, selection.prefix, selection.key ?? ""].join(" ");
  const feed = ofStore.get(name) ?? new Feed(plan);
  ofStore.set(name, feed);
  feed.followers.add(follower);
  return () => {
    if (!feed.followers.delete(follower) || feed.followers.size > 0) return;
    feed.stop();
    ofStore.delete(name);
  };
}

/** Whether a key is selected. */
export function covers({ key: only, prefix }: FeedPlan["selection"], key: string): boolean {
  return only === undefined ? key.startsWith(prefix) : key === only;
}

class Feed {
  readonly followers = new Set<Follower>();
  readonly stop: () => void;
  readonly #selection: FeedPlan["selection"];
  readonly #format: Format;
  #before: number;

  constructor({ store, resource, selection, format }: FeedPlan) {
    this.#selection = selection;
    this.#format = format;
    this.#before = store.revision;
    this.stop = store.listen(resource, (change) => this.#onChange(change));
  }

  #onChange(change: Change): void {
    const before = this.#before;
    this.#before = change.revision;
    if (!covers(this.#selection, change.key)) return;
    const event = this.#eventOf(change, before);
    for (const follower of this.followers) tell(follower, event);
  }

  #eventOf({ type, entry, revision }: Change, before: number): FeedEvent | NotMade {
    try {
      return { revision, frame: sharedFrame(type, entry, this.#format), before };
    } catch (error) {
      return { error };
    }
  }
}

interface NotMade {
  readonly error: unknown;
}

/** An error of one watch does not affect others. */
function tell(follower: Follower, event: FeedEvent | NotMade): void {
  if ("error" in event) return follower.fail(event.error);
  try {
    follower.take(event);
  } catch (error) {
    follower.fail(error);
  }
}
