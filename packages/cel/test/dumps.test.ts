/** The trees and errors of cel-go's parser and checker, case by case, in the standard environment. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tests as checking } from "@bufbuild/cel-spec/testdata/checking.js";
import { tests as comprehension } from "@bufbuild/cel-spec/testdata/comprehension.js";
import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import { tests as parsing } from "@bufbuild/cel-spec/testdata/parsing.js";
import type { SerializedIncrementalTest, SerializedIncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import {
  BINDINGS,
  BOOL,
  BYTES,
  createEnv,
  DOUBLE,
  ENCODERS,
  INT,
  MATH,
  member,
  NULL,
  OPTIONAL_LIBRARY,
  overload,
  STANDARD,
  STRING,
  stringsLibrary,
  UINT,
} from "@capstan/cel";
import type { Library } from "@capstan/cel";
import { dump, normalized } from "./dump.ts";
import type { Original } from "./wire.ts";
import { functionOf, NeedsProtobufError, needsProtobuf, typeOfWire } from "./wire.ts";

/** The dumps were made with the functions of these libraries, but without their syntax. */
const DECLARED_ONLY: readonly Library[] = [OPTIONAL_LIBRARY, stringsLibrary(4), ENCODERS].map((library) => ({
  ...library,
  optionalSyntax: false,
}));

/** What cel-go's own tests declare for all their cases. */
const DEFAULT_VARIABLES = { is: STRING, ii: INT, iu: UINT, iz: BOOL, ib: BYTES, id: DOUBLE, ix: NULL };
const DEFAULT_FUNCTIONS = [
  { name: "fg_s", overloads: [overload("fg_s_0", [], STRING)] },
  { name: "fi_s_s", overloads: [member("fi_s_s_0", [STRING], STRING)] },
];

/** Cases that are not compared, each with the reason. */
const SKIPPED: readonly (readonly [RegExp, string])[] = [
  [/cel\.(block|index|iterVar|accuVar)\(/, "cel.@block is what an optimizer writes, not a user"],
  [/%.*\.format\(/, "formats are validated only as Kubernetes does it"],
  [/\[\]\.existsOne\(/, "existsOne with one variable is in cel-go's parser but in no environment of Kubernetes"],
  [/^(--|func\{\{a\}\}|msg\{:a\}|x\{\?\.)$|in\.😁/, "ANTLR goes on and complains again where ours stops"],
];

/** Limits that the cases were made with and Kubernetes does not have. */
const SMALL_LIMITS = /limit exceeded: (32|4)$|max recursion depth exceeded|limit exceeded: \d+\n/;

function isSkipped(test: SerializedIncrementalTest): boolean {
  return SKIPPED.some(([pattern]) => pattern.test(test.original.expr)) || SMALL_LIMITS.test(test.error ?? "");
}

function flatten(suite: SerializedIncrementalTestSuite): SerializedIncrementalTest[] {
  return [...(suite.tests ?? []), ...(suite.suites ?? []).flatMap(flatten)];
}

/** Escapes and floats are dumped in Go's way; what they are worth is compared elsewhere. */
function isDumpable(expr: string): boolean {
  return !/\\|[^ -~\n\t]|\d[eE.]|\.\d|[rRbB]['"]/.test(expr);
}

function compareCase(test: SerializedIncrementalTest): void {
  const original = test.original as unknown as Original;
  const declared = original.typeEnv ?? [];
  const functions = declared.filter((declaration) => declaration.function).map(functionOf);
  const variables = declared.flatMap(({ name, ident }) => (ident ? [[name, typeOfWire(ident.type)] as const] : []));
  const env = createEnv({
    libraries: [
      STANDARD,
      BINDINGS,
      MATH,
      ...DECLARED_ONLY,
      { name: "declared", functions: [...DEFAULT_FUNCTIONS, ...functions] },
    ],
    variables: { ...DEFAULT_VARIABLES, ...Object.fromEntries(variables) },
    container: original.container ?? "",
    crossTypeComparisons: false,
  });
  const compiled = env.compile(original.expr);
  if (test.checkedAst !== undefined) {
    assert.ok(compiled.ok || compiled.phase === "program", compiled.ok ? "" : compiled.message);
    if (compiled.ok && isDumpable(original.expr)) {
      assert.equal(normalized(dump(compiled.expression.node)), normalized(test.checkedAst));
    }
  } else if (test.error !== undefined) {
    assert.equal(
      compiled.ok ? "no complaint" : compiled.message,
      test.error.replaceAll(/^ERROR: [^:]*:/gm, "ERROR: <input>:"),
    );
  }
}

const suites = { checking, comprehension, conformance, parsing };

describe("the output of cel-go's parser and checker", () => {
  for (const [name, suite] of Object.entries(suites)) {
    it(`is the same as ours: ${name}`, (context) => {
      const failed: string[] = [];
      let [run, skipped] = [0, 0];
      for (const test of flatten(suite)) {
        try {
          if (needsProtobuf(test) || isSkipped(test)) throw new NeedsProtobufError();
          run++;
          compareCase(test);
        } catch (error) {
          if (error instanceof NeedsProtobufError) skipped++;
          else
            failed.push(
              `${test.original.expr.slice(0, 100)}\n   ${error instanceof Error ? error.message : String(error)}`,
            );
        }
      }
      context.diagnostic(`${run} compared, ${failed.length} differ, ${skipped} are skipped`);
      assert.equal(failed.length, 0, failed.join("\n"));
    });
  }
});
