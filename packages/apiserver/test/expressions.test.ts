/** CEL expressions in user objects: device selectors, and validation rules on fields with reserved names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask, askUntil } from "./ask.ts";

async function post(server: ApiServer, path: string, body: object): Promise<{ status: number; message: string }> {
  const reply = await ask(server, "POST", path, body);
  const { message = "" } = reply.body as { message?: string };
  return { status: reply.status, message };
}

test("selectors access attributes and capacities of a device by domain", async () => {
  await using server = await startApiServer();
  const tryOut = (name: string, expression: string) =>
    post(server, "/apis/resource.k8s.io/v1/deviceclasses", {
      apiVersion: "resource.k8s.io/v1",
      kind: "DeviceClass",
      metadata: { name },
      spec: { selectors: [{ cel: { expression } }] },
    });
  const model = "device.attributes['gpu.example.com'].model == 'a100'";
  const memory = "device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('1Gi'))";
  for (const [at, expression] of [model, memory].entries()) {
    assert.deepEqual(await tryOut(`good-${at}`, expression), { status: 201, message: "" });
  }
  assert.equal((await tryOut("bad", "device.attributes == 'a100'")).status, 422);
});

test("a rule may use a field name that is a reserved word of CEL", async () => {
  await using server = await startApiServer();
  const rule = "self.namespace == 'a' && self.__namespace__ == 'a' && self.list.all(x, x.package != 'b')";
  const spec = {
    type: "object",
    properties: {
      namespace: { type: "string", maxLength: 10 },
      list: {
        type: "array",
        maxItems: 10,
        items: { type: "object", properties: { package: { type: "string", maxLength: 10 } } },
      },
    },
    "x-kubernetes-validations": [{ rule, message: "is not right" }],
  };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  const defined = await post(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "words.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "words", kind: "Word" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  assert.deepEqual(defined, { status: 201, message: "" });
  await askUntil(server, "/apis/example.com/v1/words", ({ status }) => status === 200);
  const write = (name: string, namespace: string, word: string) =>
    post(server, "/apis/example.com/v1/words", {
      apiVersion: "example.com/v1",
      kind: "Word",
      metadata: { name },
      spec: { namespace, list: [{ package: word }] },
    });
  assert.deepEqual(await write("good", "a", "a"), { status: 201, message: "" });
  assert.match((await write("other", "b", "a")).message, /is not right/u);
  assert.match((await write("listed", "a", "b")).message, /is not right/u);
});

test("the system priority classes cannot be deleted", async () => {
  await using server = await startApiServer();
  for (const name of ["system-node-critical", "system-cluster-critical"]) {
    const { status, text } = await ask(server, "DELETE", `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`);
    assert.equal(status, 403);
    assert.match(text, /this is a system priority class and cannot be deleted/u);
  }
});
