import assert from "node:assert/strict";
import { test } from "node:test";
import { podEnvironment } from "./pod-env.ts";

const env = [
  { name: "HOST", value: "db" },
  { name: "ADDRESS", value: "$(HOST):$(PORT)/$$(HOST)/$(NONE)" },
  { name: "TOKEN", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
];

test("variables with a value are set, with references as in a container", () => {
  assert.deepEqual(podEnvironment({ env }, { PORT: "1" }).set, { HOST: "db", ADDRESS: "db:1/$(HOST)/$(NONE)" });
});

test("variables that are set already stay, also in references", () => {
  assert.deepEqual(podEnvironment({ env }, { HOST: "here", PORT: "1" }).set, { ADDRESS: "here:1/$(HOST)/$(NONE)" });
});

test("what only a pod has is named", () => {
  const volumeMounts = [{ mountPath: "/etc/ca" }];
  assert.deepEqual(podEnvironment({ env, volumeMounts }, {}).notes, [
    "not set, as only a pod has it: TOKEN; write a value into .env",
    "not mounted, as only a pod has it: /etc/ca",
  ]);
  assert.deepEqual(podEnvironment({ env }, { TOKEN: "x" }).notes, []);
});
