/** OpenAPI documents of custom resources, compared with recordings of kube-apiserver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";
import answers from "./openapi/recorded/documents.json" with { type: "json" };
import { comparable, definition } from "./openapi/documents.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

test("OpenAPI v2 and v3 of a custom resource match kube-apiserver", async (t) => {
  await using server = await startApiServer();
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  const found = await comparable(async (path) => (await ask(server, "GET", path)).body);
  for (const [path, expected] of Object.entries(answers)) {
    await t.test(path, () => assert.deepEqual(found[path], expected));
  }
});

test("the metadata of every kind has descriptions", async () => {
  await using server = await startApiServer();
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  for (const path of ["api/v1", "apis/apps/v1", "apis/crd-publish.example.com/v1"]) {
    const { body } = await ask(server, "GET", `/openapi/v3/${path}`);
    const { components } = body as unknown as { components: { schemas: { [name: string]: Explained } } };
    const meta = components.schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"];
    assert.match(meta?.properties["creationTimestamp"]?.description ?? "", /^CreationTimestamp is a timestamp/);
    const unexplained = Object.entries(meta?.properties ?? {}).filter(
      ([, { description }]) => description === undefined,
    );
    assert.deepEqual(unexplained, []);
  }
});

interface Explained {
  readonly properties: { readonly [name: string]: { readonly description?: string } };
}
