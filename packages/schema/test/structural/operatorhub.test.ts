/** Every definition of the operator catalog is accepted, as kube-apiserver accepts it. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import type { Json } from "@capstan/model";
import { fieldErrors } from "@capstan/model";
import { parseAllDocuments } from "yaml";

import { validateCustomResourceDefinition } from "../../src/structural/crd.ts";

const catalog = fileURLToPath(new URL("../../../../../shared/data/operatorhub", import.meta.url));

function definitions(): { readonly file: string; readonly crd: Json }[] {
  return readdirSync(catalog, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) => documentsOf(`${catalog}/${file}`).map((crd) => ({ file, crd })));
}

function documentsOf(path: string): Json[] {
  const text = readFileSync(path, "utf8");
  if (!text.includes("kind: CustomResourceDefinition")) return [];
  return parseAllDocuments(text)
    .map((document) => document.toJS() as { kind?: string; apiVersion?: string } & { [key: string]: Json })
    .filter((object) => object?.kind === "CustomResourceDefinition" && object.apiVersion === "apiextensions.k8s.io/v1");
}

test(
  "definitions of published operators are accepted",
  {
    skip: existsSync(catalog)
      ? false
      : "the catalog of real operators, which is not ours to ship, is not beside this checkout",
  },
  () => {
    const found = definitions();
    assert.ok(found.length > 50);
    for (const { file, crd } of found)
      assert.deepEqual(validateCustomResourceDefinition(crd).map(fieldErrors.format), [], file);
  },
);
