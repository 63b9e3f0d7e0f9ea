/** The test of one kind: it runs its controller on the embedded API server. */
import type { ApiInputs, Inputs } from "../project/inputs.ts";
import { wordsOf } from "../project/names.ts";
import { childOf, fileOf, valueOf, withHeader } from "./source.ts";

/** The test beside a kind's source. */
export function testFile(inputs: Inputs, api: ApiInputs): string {
  return withHeader(inputs, api.controllers.includes("") ? controllerTest(inputs, api) : resourceTest(inputs, api));
}

/** The test of a project that has no kind yet. */
export function emptyTest(inputs: Inputs): string {
  return withHeader(
    inputs,
    `import { test } from "node:test";
import { testOperator } from "capstan/testing";
import { app } from "./main.ts";

test("the operator starts and comes to rest", async () => {
  await using world = await testOperator(app);
  await world.settle();
});
`,
  );
}

function controllerTest(inputs: Inputs, api: ApiInputs): string {
  const { kind } = api;
  const value = valueOf(inputs, api);
  const owned = childOf(api);
  const child = api.image === undefined ? "first-pod" : "first";
  const reference = api.scope === "Cluster" ? `{ name: "${child}", namespace: "default" }` : `"${child}"`;
  const check =
    api.image === undefined
      ? `const pod = await world.get(${owned.name}, ${reference});
  assert.equal(pod?.spec?.containers[0]?.image, "busybox:1.37");`
      : `const deployment = await world.get(${owned.name}, ${reference});
  assert.equal(deployment?.spec?.replicas, 3);`;
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { operator } from "capstan";
${owned.imported}
import { testOperator } from "capstan/testing";
import { ${kind}, ${value} } from "./${fileOf(inputs, api)}.ts";

test("${article(kind)} ${kind} becomes ${article(owned.kind)} ${owned.kind}", async () => {
  await using world = await testOperator(operator({ name: "test", controllers: [${value}] }));
  await world.apply(${kind}, "first", { spec: ${api.image === undefined ? "{}" : "{ size: 3 }"} });
  await world.settle();
  ${check}
  const { status } = (await world.get(${kind}, "first")) ?? assert.fail();
  assert.equal(status?.conditions?.[0]?.status, "False");
});
`;
}

function resourceTest(inputs: Inputs, api: ApiInputs): string {
  const { plural } = wordsOf(api.kind, api.plural);
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { ${api.kind} } from "./${fileOf(inputs, api)}.ts";

test("${api.kind} has a CRD", () => {
  assert.equal(${api.kind}.toCrd().metadata.name, "${plural}.${api.group}");
});
`;
}

function article(word: string): "a" | "an" {
  return /^[AEIOU]/.test(word) ? "an" : "a";
}
