import assert from "node:assert/strict";
import { test } from "node:test";
import { ControllerRevision, DaemonSet } from "@capstan/kinds/apps/v1";
import { startCluster } from "@capstan/cluster";
import { until } from "./until.ts";

test("a revision holds the template with sorted fields", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const namespace = "default";
  const labels = { app: "each" };
  const spec = { containers: [{ name: "x", image: "x", args: ["b", "a"] }], automountServiceAccountToken: false };
  const template = { metadata: { labels }, spec };
  await client.create(DaemonSet, {
    metadata: { name: "each", namespace },
    spec: { selector: { matchLabels: labels }, template },
  });
  const [revision] = await until("there is a revision", async () => {
    const { items } = await client.list(ControllerRevision, { namespace }).all();
    return items.length > 0 && items;
  });
  const text = JSON.stringify(revision?.data);
  assert.match(
    text,
    /^\{"spec":\{"template":\{"\$patch":"replace","metadata":\{"labels":\{"app":"each"\}\},"spec":\{"automount/,
  );
  assert.match(text, /"args":\["b","a"\],"image":"x","imagePullPolicy":"Always","name":"x"/);
});
