import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/guide/troubleshooting.md", root), "utf8");

/** The first match of a pattern in a source file. */
function partOf(file: string, pattern: RegExp): string {
  const [, part] = pattern.exec(readFileSync(new URL(file, root), "utf8")) ?? [];
  return part ?? assert.fail(`${file} has no match of ${pattern}`);
}

/** The codes of a union: its quoted names, without comments. */
function unionIn(file: string, name: string): readonly string[] {
  const union = partOf(file, new RegExp(String.raw`export type ${name} =([^;]*);`, "u"));
  return quotedIn(union.replaceAll(/\/\*\*.*?\*\//gsu, ""));
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/"(\w+)"/gu)].map(([, code = ""]) => code);
}

/** The codes in the table of a section: the first cell of each row. */
function listed(section: string): readonly string[] {
  const [, text = ""] = page.split(`### ${section}\n`);
  const [own = ""] = text.split("\n### ");
  return [...own.matchAll(/^\| `(\w+)` \|/gmu)].map(([, code = ""]) => code);
}

const statusCodes = partOf("packages/client/src/error/code.ts", /statusCodes = \[([^\]]*)\]/u);
const clientCodes = partOf("packages/client/src/error/code.ts", /clientCodes = \[([^\]]*)\]/u);
const exits = partOf("apps/cli/src/errors.ts", /exitCodes = \{(.*?)\} as const/su);
const exitNames = [...exits.matchAll(/^ {2}(\w+): \{/gmu)].map(([, name = ""]) => name);

const unions: { readonly [section: string]: readonly string[] } = {
  RuntimeError: unionIn("packages/runtime/src/errors.ts", "RuntimeErrorCode"),
  ApiError: quotedIn(`${statusCodes}${clientCodes}`),
  DefinitionError: unionIn("packages/schema/src/define/errors.ts", "DefinitionErrorCode"),
  WebhookError: unionIn("packages/runtime/src/webhook/errors.ts", "WebhookErrorCode"),
  CliError: exitNames.filter((name) => name !== "Done"),
  ScaffoldError: unionIn("packages/scaffold/src/errors.ts", "ScaffoldErrorCode"),
};

for (const [section, codes] of Object.entries(unions)) {
  test(`the troubleshooting page has each code of ${section}, and no other`, () => {
    assert.ok(codes.length > 3, `only ${codes.length} codes were found`);
    assert.deepEqual(listed(section).toSorted(), codes.toSorted());
  });
}
