import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError, toFailure } from "@capstan/model";
import type { LiveBody } from "../answer.ts";
import { systemClock } from "../clock.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import { Store } from "../store/store.ts";
import type { FrameWriter } from "./frames.ts";
import { watchBody, type WatchPlan } from "./watcher.ts";

const refused = new StatusError(toFailure({ code: 500, reason: "InternalError", message: "no frame" }));

const named: FrameWriter = {
  entry: (type, { key }) => `${type} ${key}`,
  object: (type) => type,
  error: ({ message }) => `ERROR ${message}`,
};

function thing(name: string): AnyDraft {
  return { kind: "Thing", apiVersion: "v1", metadata: { name } };
}

function put(store: Store, name: string): void {
  store.put("things", `ns/${name}`, thing(name));
}

/** Collects the chunks of a watch. */
function watched(store: Store, frames: FrameWriter, plan: Partial<WatchPlan> = {}): string[] {
  const said: string[] = [];
  begin(store, { ...plan, frames })({
    isFull: false,
    whenDrained: (callback) => callback(),
    write: (chunk) => void said.push(String(chunk)),
    end: () => void said.push("the end"),
  });
  return said;
}

function begin(store: Store, plan: Partial<WatchPlan>): LiveBody {
  return watchBody({
    store,
    clock: systemClock,
    resource: "things",
    selection: { key: undefined, prefix: "ns/" },
    matches: undefined,
    start: { type: "revision", revision: store.revision },
    bookmarks: false,
    timeout: 60_000,
    frames: named,
    refusal: () => refused,
    bookmark: () => ({ kind: "Thing", apiVersion: "v1", metadata: {} }),
    ...plan,
  });
}

function failing(how: "at once" | "later"): FrameWriter {
  const entry = (): Promise<string> => {
    if (how === "at once") throw new Error("bug");
    return Promise.reject(new Error("bug"));
  };
  return { ...named, entry };
}

for (const how of ["at once", "later"] as const) {
  test(`a watch with events that fail ${how} gets an error and ends; others continue`, async () => {
    const store = new Store({ clock: systemClock });
    const bad = watched(store, failing(how));
    const good = watched(store, named);
    put(store, "a");
    put(store, "b");
    while (!bad.includes("the end")) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(bad, ["ERROR no frame", "the end"]);
    assert.deepEqual(good, ["ADDED ns/a", "ADDED ns/b"]);
  });
}

test("a watch gets an error if its initial state cannot be encoded", () => {
  const store = new Store({ clock: systemClock });
  put(store, "a");
  const start = { type: "state", notBefore: 0, marksEnd: false } as const;
  assert.deepEqual(watched(store, failing("at once"), { start }), ["ERROR no frame", "the end"]);
});

test("a slow watch resumes although changes outside of its selection are compacted", () => {
  const store = new Store({ clock: systemClock });
  const said: string[] = [];
  const names = (chunk: string | Uint8Array): string[] => String(chunk).match(/ns\/\w+/g) ?? [];
  const drained: (() => void)[] = [];
  let isFull = false;
  begin(store, { frames: { ...named, sharedFormat: "json" } })({
    get isFull() {
      return isFull;
    },
    whenDrained: (callback) => void drained.push(callback),
    write: (chunk) => void said.push(...names(chunk)),
    end: () => void said.push("the end"),
  });
  store.put("things", "ns/a", thing("ns/a"));
  for (let at = 0; at < 10; at++) store.put("things", `elsewhere/${at}`, thing("x"));
  isFull = true;
  store.compact();
  for (const name of ["ns/b", "ns/c"]) store.put("things", name, thing(name));
  assert.deepEqual(said, ["ns/a"]);
  isFull = false;
  for (const callback of drained.splice(0)) callback();
  store.put("things", "ns/d", thing("ns/d"));
  assert.deepEqual(said, ["ns/a", "ns/b", "ns/c", "ns/d"]);
});

test("a watch whose next change is compacted before its client reads ends", () => {
  const store = new Store({ clock: systemClock });
  const said: string[] = [];
  const drained: (() => void)[] = [];
  begin(store, { frames: { ...named, sharedFormat: "json" } })({
    isFull: true,
    whenDrained: (callback) => void drained.push(callback),
    write: (chunk) => void said.push(String(chunk)),
    end: () => void said.push("the end"),
  });
  put(store, "a");
  put(store, "b");
  store.compact();
  for (const callback of drained.splice(0)) callback();
  assert.deepEqual(said, ["the end"]);
});

test("the initial state is sent in pieces in turns, each object once and in order", () => {
  const store = new Store({ clock: systemClock });
  const all = Array.from({ length: 300 }, (_, at) => `ns/${String(at).padStart(3, "0")}`);
  for (const key of all) store.put("things", key, { ...thing(key), data: "x".repeat(1000) } as AnyDraft);
  const turns: (() => void)[] = [];
  const pieces: string[] = [];
  const entries: FrameWriter["entries"] = (some) => some.map(({ json }) => `${json}\n`).join("");
  const start = { type: "state", notBefore: 0, marksEnd: true } as const;
  begin(store, { frames: { ...named, entries }, start, bookmarks: true })({
    isFull: false,
    whenDrained: () => assert.fail(),
    later: (callback) => void turns.push(callback),
    write: (chunk) => void pieces.push(String(chunk)),
    end: () => assert.fail(),
  });
  assert.equal(pieces.length, 1);
  put(store, "changed");
  while (turns.length > 0) turns.shift()?.();
  const sent = pieces.join("").match(/ns\/[a-z0-9]+|BOOKMARK/g) ?? [];
  assert.deepEqual(sent, [...all, "BOOKMARK", "ns/changed"]);
  assert.ok(Math.max(...pieces.map(({ length }) => length)) < 70_000);
});
