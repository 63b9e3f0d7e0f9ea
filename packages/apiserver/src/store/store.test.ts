import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@capstan/model";
import { systemClock } from "../clock.ts";
import { listPage, type ListQuery } from "./list.ts";
import { Store } from "./store.ts";

function store(): Store {
  return new Store({ clock: systemClock });
}

function put(target: Store, name: string, labels: { [key: string]: string } = {}): number {
  return target.put("things", `ns/${name}`, { kind: "Thing", apiVersion: "v1", metadata: { name, labels } }).revision;
}

const everything: ListQuery = {
  prefix: "ns/",
  limit: 0,
  continue: "",
  resourceVersion: "",
  resourceVersionMatch: "",
  matches: undefined,
};

function names(target: Store, query: Partial<ListQuery> = {}): string[] {
  return listPage(target, "things", { ...everything, ...query }).entries.map(
    ({ object }) => object.metadata.name ?? "",
  );
}

test("every write has a greater revision than all earlier ones, across resources", () => {
  const target = store();
  const first = put(target, "a");
  const other = target.put("others", "x", { kind: "Other", apiVersion: "v1", metadata: { name: "x" } }).revision;
  assert.ok(first < other && other < put(target, "a"));
});

test("lists are in the order of keys, not of writes", () => {
  const target = store();
  for (const name of ["c", "a", "b"]) put(target, name);
  assert.deepEqual(names(target), ["a", "b", "c"]);
});

test("a prefix does not match namespaces that start with the same characters", () => {
  const target = store();
  put(target, "a");
  target.put("things", "ns2/b", { kind: "Thing", apiVersion: "v1", metadata: { name: "b" } });
  assert.deepEqual(names(target), ["a"]);
  assert.deepEqual(names(target, { prefix: "" }), ["a", "b"]);
});

test("past states can be listed until they are compacted", () => {
  const target = store();
  put(target, "a");
  const then = put(target, "b");
  put(target, "b", { changed: "yes" });
  put(target, "c");
  const entry = target.get("things", "ns/a");
  assert.ok(entry !== undefined);
  target.remove("things", entry);
  const past = { resourceVersion: String(then), resourceVersionMatch: "Exact" } as const;
  assert.deepEqual(names(target, past), ["a", "b"]);
  assert.deepEqual(names(target), ["b", "c"]);
  target.compact();
  assert.throws(() => names(target, past), { code: "Expired" });
});

test("pages show one state, whatever is written between them", () => {
  const target = store();
  for (const name of ["a", "b", "c", "d"]) put(target, name);
  const first = listPage(target, "things", { ...everything, limit: 2 });
  assert.equal(first.remaining, 2);
  put(target, "bb");
  const entry = target.get("things", "ns/c");
  assert.ok(entry !== undefined);
  target.remove("things", entry);
  assert.deepEqual(names(target, { limit: 2, continue: first.continue }), ["c", "d"]);
});

test("a compacted page returns a token that continues at the current state", () => {
  const target = store();
  for (const name of ["a", "b", "c"]) put(target, name);
  const { continue: next } = listPage(target, "things", { ...everything, limit: 1 });
  put(target, "d");
  target.compact();
  let token = "";
  assert.throws(
    () => names(target, { limit: 1, continue: next }),
    (error: { status: { metadata: { continue: string } } }) => (token = error.status.metadata.continue) !== "",
  );
  assert.deepEqual(names(target, { continue: token }), ["b", "c", "d"]);
});

test("a list with a selector has no remaining item count", () => {
  const target = store();
  for (const name of ["a", "b", "c"]) put(target, name, { odd: name === "b" ? "no" : "yes" });
  const matches = ({ metadata }: KubeObject): boolean => metadata.labels?.["odd"] === "yes";
  const page = listPage(target, "things", { ...everything, limit: 1, matches });
  assert.equal(page.remaining, undefined);
  assert.notEqual(page.continue, "");
  assert.deepEqual(names(target, { limit: 5, continue: page.continue, matches }), ["c"]);
});

test("a deletion shows the last state of the object at the revision of the deletion", () => {
  const target = store();
  put(target, "a");
  const entry = target.get("things", "ns/a");
  assert.ok(entry !== undefined);
  const gone = target.remove("things", entry);
  assert.equal(gone.object.metadata.resourceVersion, String(target.revision));
  assert.equal(entry.object.metadata.resourceVersion, String(entry.revision));
});

test("stored objects cannot be changed", () => {
  const target = store();
  put(target, "a", { l: "1" });
  const { labels } = target.get("things", "ns/a")?.object.metadata ?? {};
  assert.throws(() => Object.assign(labels ?? {}, { l: "2" }), TypeError);
});

test("pages of an old state expire by age, while changes are kept", () => {
  let now = 0;
  const target = new Store({ clock: { now: () => now, wall: () => now, later: () => ({ cancel: () => {} }) } });
  put(target, "a");
  const revision = put(target, "b");
  const { continue: next } = listPage(target, "things", { ...everything, limit: 1 });
  for (; now < 4 * 60_000; now += 30_000) target.put("others", "x", other());
  assert.deepEqual(names(target, { continue: next }), ["b"]);
  for (; now < 7 * 60_000; now += 30_000) target.put("others", "x", other());
  assert.throws(() => names(target, { continue: next }), /The provided continue parameter is too old/);
  put(target, "c");
  assert.equal(target.changesAfter("things", revision)?.length, 1);
});

function other(): { kind: string; apiVersion: string; metadata: { name: string } } {
  return { kind: "Other", apiVersion: "v1", metadata: { name: "x" } };
}

test("a listener that throws affects neither other listeners nor the writer", () => {
  const reported: unknown[] = [];
  const target = new Store({ clock: systemClock, report: (error) => reported.push(error) });
  const failure = new Error("deaf");
  const heard: string[] = [];
  target.listen("things", () => {
    throw failure;
  });
  target.listen("things", ({ type, key }) => heard.push(`${type} ${key}`));
  put(target, "a");
  assert.deepEqual(heard, ["ADDED ns/a"]);
  assert.deepEqual(reported, [failure]);
});

test("an object that nests too deep to be serialized is not stored", () => {
  const target = store();
  const heard: string[] = [];
  target.listen("things", ({ key }) => heard.push(key));
  const before = put(target, "a");
  const deep = { kind: "Thing", apiVersion: "v1", metadata: { name: "deep" }, spec: unwritable() };
  assert.throws(() => target.put("things", "ns/deep", deep), RangeError);
  assert.deepEqual(names(target), ["a"]);
  assert.equal(target.get("things", "ns/deep"), undefined);
  assert.equal(target.revision, before);
  assert.deepEqual(heard, ["ns/a"]);
});

/** Stands for nesting that exceeds the stack, which depends on the machine. */
function unwritable(): object {
  return {
    toJSON: () => {
      throw new RangeError("Maximum call stack size exceeded");
    },
  };
}
