import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdError } from "../etcd/index.ts";
import { toRejectedStep } from "./rejected-step.ts";
import type { ActionContext } from "./reconcile-context.ts";

/** The reports about a step that fails with this error. */
function told(code: EtcdError["code"]): readonly string[] {
  const words: string[] = [];
  const context = {
    seen: { object: {} },
    event: (_kind: string, reason: string) => void words.push(`event ${reason}`),
    status: { condition: (type: string) => void words.push(type) },
  };
  const error = new EtcdError(code, "no", { endpoint: "http://e-0:2379", maybeDone: false });
  assert.ok(toRejectedStep(context as unknown as ActionContext, error) !== undefined);
  return words;
}

test("a permanent etcd error is reported; a temporary one is only retried", () => {
  for (const code of ["RoleNotFound", "Invalid", "Denied"] as const)
    assert.deepEqual(told(code), ["event Refused", "Degraded"]);
  for (const code of ["Unreachable", "NoLeader", "Deadline"] as const) assert.deepEqual(told(code), []);
});
