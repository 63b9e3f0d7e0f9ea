/** An empty string in a map of strings is a value: it is written, repaired and removed like any other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import type { KubeObject } from "@capstan/model";
import { ConfigMap, PodTemplate, Service } from "@capstan/kinds/v1";
import type { AnyKind } from "../src/api.ts";
import { firstDifference } from "../src/apply/matches.ts";
import { apiOf } from "../src/client-api.ts";

interface Texts {
  readonly [name: string]: string;
}

/** Places of string maps in kinds: in their own fields, in metadata, below lists, and in atomic maps. */
const makers: { readonly [place: string]: (texts: Texts) => { readonly kind: AnyKind; readonly object: object } } = {
  labels: (labels) => ({ kind: ConfigMap, object: { metadata: { labels } } }),
  annotations: (annotations) => ({ kind: ConfigMap, object: { metadata: { annotations } } }),
  data: (data) => ({ kind: ConfigMap, object: { data } }),
  selector: (selector) => ({ kind: Service, object: { spec: { selector, ports: [{ port: 80 }] } } }),
  "labels of a template": (labels) => ({
    kind: PodTemplate,
    object: { template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } } },
  }),
  nodeSelector: (nodeSelector) => ({
    kind: PodTemplate,
    object: { template: { spec: { nodeSelector, containers: [{ name: "a", image: "a" }] } } },
  }),
  matchLabels: (matchLabels) => ({ kind: PodTemplate, object: spread(matchLabels) }),
};

function spread(matchLabels: Texts): object {
  const whenUnsatisfiable = "DoNotSchedule";
  const constraint = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable, labelSelector: { matchLabels } };
  return { template: { spec: { topologySpreadConstraints: [constraint], containers: [{ name: "a", image: "a" }] } } };
}

const names = ["app", "name", "value", "node-role", "example.com.inject", "key"];
const texts = fc.dictionary(fc.constantFrom(...names), fc.constantFrom("", "x"), { maxKeys: 4 });

test("string maps are equal only if they have the same keys and values", async () => {
  const { fetch } = await startApiServer();
  const api = apiOf(createClient(inProcess(fetch)));
  let count = 0;
  const manager = "us";
  const place = fc.constantFrom(...Object.keys(makers));
  const property = fc.asyncProperty(place, texts, texts, async (where, before, after) => {
    const make = makers[where] ?? assert.fail();
    const metadata = { namespace: "default", name: `m${count++}` };
    const desired = (map: Texts): KubeObject => {
      const { kind, object } = make(map);
      const own = "metadata" in object ? object.metadata : {};
      return { apiVersion: "v1", kind: kind.kind, ...object, metadata: { ...metadata, ...(own as object) } };
    };
    const { kind } = make(before);
    const live = await api.apply(kind, desired(before), { manager, force: true });
    assert.equal(firstDifference({ desired: desired(before), live, manager }), undefined, "nothing to write again");
    const isSeen = firstDifference({ desired: desired(after), live, manager }) !== undefined;
    const written = await api.apply(kind, desired(after), { manager, force: true });
    const isOther = written.metadata.resourceVersion !== live.metadata.resourceVersion;
    if (isOther && !isEmpty(before) && !isEmpty(after)) assert.ok(isSeen, "a difference that the server sees");
    if (!isOther) assert.ok(!isSeen || isEmpty(before) || isEmpty(after), "no difference where the server sees none");
  });
  const examples = Object.keys(makers).map((where): [string, Texts, Texts] => [where, { a: "x" }, { a: "x", b: "" }]);
  await fc.assert(property, { numRuns: 150, examples });
});

/** The presence of the map itself is not tested here. */
function isEmpty(map: Texts): boolean {
  return Object.keys(map).length === 0;
}
