/** The committed files are equal to what is generated from a running kube-apiserver. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtInGroupVersions, type BuiltInGroupVersion, type BuiltInResource } from "@capstan/kinds";
import { openApiV2, openApiV3 } from "@capstan/kinds/openapi";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { type Documents, type Fields, readDocuments } from "../generate/documents.ts";
import { generate } from "../generate/generate.ts";
import { readProtoPackages } from "../generate/modules.ts";
import { withoutDescriptions } from "../generate/openapi.ts";
import { getFrom } from "../generate/server.ts";

const root = join(import.meta.dirname, "../src/generated");
const skip = kubernetesMissing();

test("regenerating from a running server changes no byte", { skip }, async (t) => {
  const { credentials } = await useKubernetes(t);
  const get = getFrom(credentials);
  const documents = await readDocuments(get);

  await t.test("the files", () => {
    const files = generate(documents, readProtoPackages(documents.gitVersion));
    const committed = globSync("**/*.{ts,json}", { cwd: root });
    assert.deepEqual(committed.sort(), Object.keys(files).sort());
    for (const [path, text] of Object.entries(files)) {
      assert.ok(
        readFileSync(join(root, path), "utf8") === text,
        `${path} is not what the server says: generate it anew`,
      );
    }
  });

  await t.test("reassembled OpenAPI documents equal the server's, without descriptions", () =>
    compareOpenApi(documents),
  );

  await t.test("aggregated discovery follows from the facts", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const answers = [await get("/api", accept), await get("/apis", accept)] as unknown as {
      items: AggregatedGroup[];
    }[];
    const builtIn = new Set(builtInGroupVersions().map(({ group }) => group));
    const groups = answers.flatMap(({ items }) => items).filter(({ metadata }) => builtIn.has(metadata.name ?? ""));
    const served = groups.flatMap(({ metadata, versions }) =>
      versions.map(({ version, resources }) => ({ group: metadata.name ?? "", version, resources })),
    );
    assert.deepEqual(served, builtInGroupVersions().map(toAggregated));
  });
});

function compareOpenApi({ openApiV2: v2, openApiV3: v3 }: Documents): void {
  assert.deepEqual(openApiV2(), withoutDescriptions(v2));
  const expected = Object.entries(v3).map(([path, document]): [string, Fields] => [
    path,
    withoutDescriptions(document),
  ]);
  assert.deepEqual(openApiV3(), Object.fromEntries(expected));
}

interface AggregatedGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources: readonly object[] }[];
}

/** Aggregated discovery of a version of a group, computed from the facts. */
function toAggregated({ group, version, resources }: BuiltInGroupVersion): object {
  return { group, version, resources: resources.map((resource) => toAggregatedResource(resource)) };
}

function toAggregatedResource(resource: BuiltInResource): object {
  const { name, kind, scope, singular, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: { group: "", version: "", kind },
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    singularResource: singular,
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    ...(subresources === undefined
      ? {}
      : {
          subresources: subresources.map((each) => ({
            subresource: each.name,
            responseKind: { group: each.group ?? "", version: each.version ?? "", kind: each.kind },
            verbs: each.verbs,
          })),
        }),
  };
}
