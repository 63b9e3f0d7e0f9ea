import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, type OwnerState, type Observed } from "./decide.ts";
import { FOREGROUND, type Node, ORPHAN } from "./graph.ts";

const kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;

function node(uid: string, more: Partial<Node> = {}): Node {
  return { kind, uid, name: uid, namespace: "default", owners: [], finalizers: [], isBeingDeleted: false, ...more };
}

function owner(uid: string): Node["owners"][number] {
  return { apiVersion: "v1", kind: "Pod", name: uid, uid, blockOwnerDeletion: true };
}

function observed(subject: Node, states: readonly OwnerState[], dependents: readonly Node[] = []): Observed {
  return {
    node: subject,
    dependents,
    owners: states.map((state, index) => ({ reference: owner(`o${index}`), state })),
  };
}

const waiting = { isBeingDeleted: true, finalizers: [FOREGROUND] };

test("an object without remaining owners is deleted, one with an owner stays", () => {
  assert.deepEqual(decide(observed(node("a"), ["dangling"])), { do: "delete", policy: "Background", unblock: false });
  assert.deepEqual(decide(observed(node("a"), ["dangling", "solid"])), { do: "unlink", owners: ["o0"] });
  assert.deepEqual(decide(observed(node("a"), ["solid"])), { do: "nothing" });
});

test("foreground deletion of an owner applies to its dependents", () => {
  assert.deepEqual(decide(observed(node("a"), ["waiting"], [node("b")])), {
    do: "delete",
    policy: "Foreground",
    unblock: false,
  });
  assert.deepEqual(decide(observed(node("a"), ["waiting"])), { do: "delete", policy: "Background", unblock: false });
});

test("an object in a cycle stops blocking its owners before its deletion", () => {
  const dependent = node("b", { ...waiting, owners: [owner("a")] });
  assert.deepEqual(decide(observed(node("a"), ["waiting"], [dependent])), {
    do: "delete",
    policy: "Foreground",
    unblock: true,
  });
});

test("a waiting owner enqueues remaining dependents and ends when none blocks it", () => {
  const still = node("b", { owners: [owner("a")] });
  const leaving = node("c", { ...waiting, owners: [owner("a")] });
  assert.deepEqual(decide(observed(node("a", waiting), [], [still, leaving])), { do: "await", dependents: [still] });
  assert.deepEqual(decide(observed(node("a", waiting), [], [leaving])), { do: "await", dependents: [] });
  assert.deepEqual(decide(observed(node("a", waiting), [])), { do: "release" });
});

test("orphaned dependents lose their owner reference", () => {
  const child = node("b", { owners: [owner("a")] });
  assert.deepEqual(decide(observed(node("a", { isBeingDeleted: true, finalizers: [ORPHAN] }), [], [child])), {
    do: "orphan",
    dependents: [child],
  });
});
