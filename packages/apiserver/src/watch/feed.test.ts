import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../clock.ts";
import { Store } from "../store/store.ts";
import { followFeed, type FeedEvent } from "./feed.ts";

function put(store: Store, key: string): void {
  store.put("things", key, { kind: "Thing", apiVersion: "v1", metadata: { name: key } });
}

/** The events that a watch of a prefix receives. */
function followed(store: Store, prefix: string): { readonly told: FeedEvent[]; readonly leave: () => void } {
  const told: FeedEvent[] = [];
  const selection = { key: undefined, prefix };
  const leave = followFeed(
    { store, resource: "things", selection, format: "json" },
    { take: (event) => void told.push(event), fail: assert.fail },
  );
  return { told, leave };
}

test("watches of the same objects share bytes and get the revision before each event", () => {
  const store = new Store({ clock: systemClock });
  const [a, b, other] = [followed(store, "ns/"), followed(store, "ns/"), followed(store, "other/")];
  put(store, "ns/one");
  put(store, "other/one");
  put(store, "ns/two");
  assert.deepEqual(
    a.told.map(({ revision, before }) => [revision, before]),
    [
      [2, 1],
      [4, 3],
    ],
  );
  assert.deepEqual(
    a.told.map(({ frame }) => frame),
    b.told.map(({ frame }) => frame),
  );
  assert.ok(a.told.every(({ frame }, at) => frame === b.told[at]?.frame));
  assert.deepEqual(
    other.told.map(({ revision }) => revision),
    [3],
  );
});

test("a watch that fails does not affect others, and one that left gets no events", () => {
  const store = new Store({ clock: systemClock });
  const failures: unknown[] = [];
  const plan = { store, resource: "things", selection: { key: undefined, prefix: "ns/" }, format: "json" } as const;
  const bug = new Error("bug");
  const leaveBad = followFeed(plan, {
    take: () => {
      throw bug;
    },
    fail: (error) => {
      failures.push(error);
      leaveBad();
    },
  });
  const good = followed(store, "ns/");
  put(store, "ns/one");
  put(store, "ns/two");
  assert.deepEqual(failures, [bug]);
  assert.equal(good.told.length, 2);
  good.leave();
  good.leave();
  put(store, "ns/three");
  assert.equal(good.told.length, 2);
  const late = followed(store, "ns/");
  put(store, "ns/four");
  assert.equal(late.told.length, 1);
});
