/** Which service account installs the operators of a group. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import { serviceAccountOf } from "./service-account.ts";

function group(serviceAccountName: string, account?: string): OperatorGroup {
  const reference = account === undefined ? {} : { serviceAccountRef: { name: account, namespace: "shop", uid: "1" } };
  return {
    apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: { name: "group", namespace: "shop", uid: "2", resourceVersion: "3", creationTimestamp: "" },
    spec: { serviceAccountName },
    status: { namespaces: ["shop"], lastUpdated: null, ...reference },
  } as unknown as OperatorGroup;
}

test("the account of the spec counts once the status refers to it", () => {
  const found = serviceAccountOf([group("weak", "weak")]);
  assert.deepEqual("reference" in found && found.reference, { name: "weak", namespace: "shop", uid: "1" });
});

test("between a change of the spec and the status no account is used", () => {
  const found = serviceAccountOf([group("weak", "strong")]);
  assert.match("error" in found ? found.error : "", /sa=weak/u);
  assert.match("error" in serviceAccountOf([group("weak")]) ? "error" : "", /error/u);
});
