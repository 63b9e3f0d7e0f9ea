/** Deletion: immediate, with finalizers, with preconditions, and of collections. */
import { defineTopic, del, get, patch, post, put } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const a = `${maps}/a`;
const make = post(maps, { metadata: { name: "a" } }, { quiet: true });
const held = post(maps, { metadata: { name: "a", finalizers: ["example.com/hold"] } }, { quiet: true });

export const deletion = defineTopic("deletion", {
  deletes: [make, del(a), get(a)],
  "does not find what is not there": [del(a)],
  "waits for finalizers": [held, del(a), get(a), put(a, { metadata: { name: "a" } }), get(a)],
  "deletes twice": [held, del(a), del(a)],
  "is not made again while it goes": [
    held,
    del(a, undefined, { quiet: true }),
    post(maps, { metadata: { name: "a" } }),
  ],
  "refuses new finalizers while it goes": [
    held,
    del(a, undefined, { quiet: true }),
    patch("merge", a, { metadata: { finalizers: ["example.com/hold", "example.com/more"] } }),
  ],
  orphans: [make, del(`${a}?propagationPolicy=Orphan`)],
  "deletes in the foreground": [make, del(`${a}?propagationPolicy=Foreground`)],
  "deletes in the background": [make, del(`${a}?propagationPolicy=Background`)],
  "orphans the old way": [make, del(`${a}?orphanDependents=true`)],
  "accepts when it must not orphan": [held, del(`${a}?orphanDependents=false`)],
  "changes its mind about propagation": [
    make,
    del(`${a}?propagationPolicy=Foreground`, undefined, { quiet: true }),
    del(`${a}?propagationPolicy=Orphan`),
  ],
  "refuses an unknown propagation": [make, del(a, { propagationPolicy: "Foo" })],
  "refuses both ways to say it": [make, del(a, { propagationPolicy: "Orphan", orphanDependents: true })],
  "refuses another identity": [make, del(a, { preconditions: { uid: "x" } })],
  "refuses another version": [make, del(a, { preconditions: { resourceVersion: "1" } })],
  "refuses options that are none": [make, del(a, "{")],
  "refuses options of another kind": [make, del(a, { apiVersion: "v1", kind: "Pod" })],
  "ignores unknown options": [make, del(a, { foo: 1 })],
  "refuses a grace that is no number": [make, del(`${a}?gracePeriodSeconds=x`)],
  "stores nothing on dry run": [make, del(`${a}?dryRun=All`), get(a)],
  "dry run with finalizers": [held, del(`${a}?dryRun=All`), get(a)],
  "deletes a collection": [
    make,
    post(maps, { metadata: { name: "b", labels: { l: "1" } } }, { quiet: true }),
    del(`${maps}?labelSelector=l`),
    get(maps),
  ],
  "deletes an empty collection": [del(`${maps}?labelSelector=nope`)],
  "refuses to delete over all namespaces": [del("/api/v1/configmaps")],
});
