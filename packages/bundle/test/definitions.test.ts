/** The CRDs of real bundles get the answer that a real kube-apiserver gave. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fieldErrors, type Json } from "@capstan/model";
import { validateCustomResourceDefinition } from "@capstan/schema";
import { hubDefinitions, readDefinitionAnswers, valueOf } from "./oracle/definitions.ts";
import { hubFolder } from "./oracle/questions.ts";

const withoutHub = "the catalog of real operators, which is not ours to ship, is not beside this checkout";

test(
  "CRDs of real bundles have the errors that kube-apiserver finds, or none",
  { skip: existsSync(hubFolder) ? false : withoutHub },
  (t) => {
    const said = new Map(readDefinitionAnswers().answers.map(([name, hash, errors]) => [`${name} ${hash}`, errors]));
    let compared = 0;
    for (const { name, text, hash } of hubDefinitions()) {
      const theirs = said.get(`${name} ${hash}`);
      if (theirs === undefined) {
        t.diagnostic(`no answer is recorded to ${name}: see test/oracle/README.md`);
        continue;
      }
      const crd = valueOf(text) as Json;
      assert.deepEqual(validateCustomResourceDefinition(crd).map(fieldErrors.format).sort(), [...theirs].sort(), name);
      compared++;
    }
    assert.ok(compared >= 200, `${compared} CRDs have a recorded answer`);
  },
);
