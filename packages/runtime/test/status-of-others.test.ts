/** Status changes of other writers during a reconcile stay, also if the reconcile has written the object itself meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";

const Job = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Job",
  spec: s.object({}),
  status: s.object({ mine: s.string().optional(), theirs: s.string().optional() }),
  conditions: { Ready: "it is done", Paid: "it was paid" },
});

const PAID = { type: "Paid", status: "True", reason: "Paid", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };

for (const how of ["in a step", "outside of steps"] as const) {
  test(`a field and the first condition of another writer, written ${how}, stay`, async () => {
    const clock = new VirtualClock();
    const server = await startApiServer({ clock });
    const meanwhile = async (): Promise<string> => {
      const path = "http://server/apis/example.com/v1/namespaces/default/jobs/j/status";
      const body = JSON.stringify({ status: { theirs: "paid", conditions: [PAID] } });
      const headers = { "content-type": "application/merge-patch+json" };
      const { status } = await server.fetch(new Request(path, { method: "PATCH", headers, body }));
      return String(status);
    };
    let isFirst = true;
    const job = controller(Job, {}, async ({ status, step }) => {
      const run = isFirst ? meanwhile : (): Promise<string> => Promise.resolve("");
      isFirst = false;
      if (how === "in a step") await step("pay", run);
      else await run();
      status.mine = "done";
      status.condition("Ready", true);
    });
    await using world = await testOperator(operator({ name: "jobs", controllers: [job] }), server, { clock });
    await world.apply(Job, "j", { spec: {} });
    await world.settle();
    const { status } = (await world.get(Job, "j")) ?? assert.fail();
    assert.equal(status?.mine, "done");
    assert.equal(status?.theirs, "paid");
    assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ["Paid", "Ready"]);
  });
}
