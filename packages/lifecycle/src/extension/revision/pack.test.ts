/** Tests of large revisions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import type { Cluster } from "../../cluster/cluster.ts";
import { packPhases, unpackObject } from "./pack.ts";

const facts = { revision: "big-1", extension: "big", namespace: "olm" };
const object = (name: string, size: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { text: Array.from({ length: size / 8 }, (_, at) => String(at).padStart(8, "0")).join("") },
});

test("a small revision keeps its objects", () => {
  const phases = [{ name: "configuration", objects: [{ object: object("a", 1024) }] }];
  assert.deepEqual(packPhases(phases, facts), { phases, secrets: [] });
});

test("a large revision lies in immutable Secrets, and is read back from them", async () => {
  const all = ["a", "b", "c"].map((name) => object(name, name === "c" ? 2 ** 20 : 500_000));
  const phases = [{ name: "configuration", objects: all.map((each) => ({ object: each })) }];
  const packed = packPhases(phases, facts);
  assert.equal(packed.secrets.length, 2);
  assert.ok(
    packed.secrets.every(({ immutable, metadata }) => immutable === true && metadata.name?.startsWith("big-1-")),
  );
  const get = async (kind: unknown, { name }: { readonly name: string }): Promise<KubeObject | undefined> => {
    assert.equal(kind, Secret);
    return packed.secrets.find(({ metadata }) => metadata.name === name) as KubeObject | undefined;
  };
  const cluster = { get } as unknown as Cluster;
  const back = await Promise.all((packed.phases[0]?.objects ?? []).map((each) => unpackObject(each, cluster)));
  assert.deepEqual(back, all);
});
