/** Mutating policies whose short expressions stand for long values: the server responds with an error and stays responsive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";

/** Variables of which each holds the one before it twice. */
const doubling = [
  { name: "v0", expression: "'0123456789'" },
  ...Array.from({ length: 60 }, (_, at) => ({
    name: `v${at + 1}`,
    expression: `[dyn(variables.v${at}), dyn(variables.v${at})]`,
  })),
];

/** Creates a policy for ConfigMaps, and returns the response for one of them when the policy is in force. */
async function messageWith(server: ApiServer, spec: object): Promise<string> {
  const matchConstraints = {
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
  };
  const made = await ask(server, "POST", `${registration}/mutatingadmissionpolicies`, {
    metadata: { name: "hostile.example.com" },
    spec: { matchConstraints, failurePolicy: "Fail", reinvocationPolicy: "Never", ...spec },
  });
  assert.equal(made.status, 201, made.text);
  const bound = await ask(server, "POST", `${registration}/mutatingadmissionpolicybindings`, {
    metadata: { name: "hostile" },
    spec: { policyName: "hostile.example.com" },
  });
  assert.equal(bound.status, 201, bound.text);
  const reply = await ask(server, "POST", maps, { metadata: { name: "a" }, data: { a: "x".repeat(1000) } });
  assert.equal(reply.status, 403, reply.text);
  return (reply.body as { readonly message: string }).message;
}

const patch = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });

test("a value that contains itself many times is not written out", async () => {
  await using server = await startApiServer();
  const expression = "[JSONPatch{op: 'add', path: '/data/b', value: variables.v60}]";
  const message = await messageWith(server, { variables: doubling, mutations: [patch(expression)] });
  assert.match(message, /actual cost limit exceeded/);
});

test("many operations share one limit", async () => {
  await using server = await startApiServer();
  const operation = "JSONPatch{op: 'add', path: '/data/b', value: variables.v14}";
  const expression = `[${Array.from({ length: 100 }, () => operation).join(", ")}]`;
  const message = await messageWith(server, { variables: doubling.slice(0, 15), mutations: [patch(expression)] });
  assert.match(message, /actual cost limit exceeded/);
});

test("operations that copy copies end at the limit of copied bytes", async () => {
  await using server = await startApiServer();
  const operations = Array.from(
    { length: 40 },
    (_, at) => `JSONPatch{op: 'copy', from: '/data', path: '/data/c${at}'}`,
  );
  const message = await messageWith(server, { mutations: [patch(`[${operations.join(", ")}]`)] });
  assert.match(message, /the accumulated size increase of copy is \d+, exceeding the limit 3145728/);
});
