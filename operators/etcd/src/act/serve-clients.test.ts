import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "capstan";
import { clientLabels, clusterLabels, SERVES_LABEL } from "../pods/index.ts";
import type { ActionContext } from "./reconcile-context.ts";
import { serveClients } from "./serve-clients.ts";

/** Three voters and a learner, in a cluster that an earlier version made: no labels, and a Service that selects all. */
async function appliedWith(labelled: readonly string[]): Promise<readonly (readonly [string, object])[]> {
  const applied: [string, object][] = [];
  const names = ["e-0", "e-1", "e-2", "e-3"];
  const listed = names.map((member) => ({ member, id: member, isStarted: true, isLearner: member === "e-3" }));
  const context = {
    seen: {
      name: "e",
      object: { spec: { clientService: { type: "ClusterIP", annotations: {} } } },
      pods: names.map((member) => ({ member })),
      membership: { by: "quorum", clusterId: "c", members: listed },
    },
    get: (kind: Kind, name: string) =>
      kind.kind === "Service"
        ? { spec: { selector: clusterLabels("e") } }
        : { metadata: { name, labels: labelled.includes(name) ? clientLabels : {}, annotations: {} } },
    apply: async (kind: Kind, name: string, desired: object) => void applied.push([`${kind.kind} ${name}`, desired]),
  } as unknown as ActionContext;
  await serveClients(context);
  return applied;
}

test("voters get the label, a learner does not", async () => {
  const applied = await appliedWith(["e-0"]);
  assert.deepEqual(
    applied.map(([what]) => what),
    ["Pod e-1", "Pod e-2", "Service e-client"],
  );
});

test("the Service of an earlier version narrows when each voter has the label", async () => {
  const before = (await appliedWith(["e-0"])).at(-1)?.[1];
  assert.doesNotMatch(JSON.stringify(before), new RegExp(SERVES_LABEL, "u"));
  const after = (await appliedWith(["e-0", "e-1", "e-2"])).at(-1)?.[1];
  assert.match(JSON.stringify(after), new RegExp(SERVES_LABEL, "u"));
});
